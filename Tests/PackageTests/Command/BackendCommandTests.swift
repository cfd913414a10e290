import Foundation
import GatehouseJOSE
import Testing

/// `gate --backend`: the commands of a session against servers, as processes on loopback.
struct BackendCommandTests {
  /// `serve ARGUMENT…` starts a server of the home `$home`, whose address is then in `$address`. `client` runs `gate`
  /// in a home of its own.
  private static let tools = """
    serve() {
      rm -f ready
      gate serve --home "$home" --port 0 --ready-fd 3 "$@" > answer 2> errors 3> ready & pid=$!
      await '[ -s ready ] || ! kill -0 $pid 2> /dev/null'
      address=$(cat ready)
    }
    client() { gate "$@" --home "$PWD/client"; }
    sign_in() { printf %s "$password" | client sign-in "$@" --password-stdin; }
    trap 'kill -9 $pid $watch 2> /dev/null; cat errors >&2' EXIT

    """

  private static func shell(_ line: String, in home: GateHome) async throws -> ChildProcess.Outcome {
    try await home.shell(tools + line, environment: ["password": GateHome.password])
  }

  @Test func `the home remembers the server that its session belongs to`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await Self.shell(
        """
        serve
        sign_in ada@example.com --backend "$address/" > signed-in || exit 98
        client whoami
        client token --force-refresh | gate verify --jwks "$address/.well-known/jwks.json" > verified && echo verified
        ls client client/sessions
        stat -c %a client/backend.json client/sessions/*.json
        printf %s "$password" | client sign-up eve@example.com --password-stdin
        client sign-out
        client token; echo "status $?"
        ls client
        gate users show eve@example.com --home "$home" > shown && echo made
        """, in: home)
      let lines = outcome.output.split(separator: "\n").map(String.init)
      #expect(lines.first?.contains("ada@example.com") == true, "\(outcome)")
      #expect(lines.contains("verified") && lines.contains("backend.json") && lines.contains("made"), "\(outcome)")
      #expect(lines.contains { $0.hasPrefix("http%3A%2F%2F127.0.0.1%3A") && $0.hasSuffix(".json") }, "\(outcome)")
      #expect(!lines.contains("session.json"), "\(outcome)")
      #expect(lines.filter { $0 == "600" }.count == 2, "\(outcome)")
      #expect(lines.contains("status 3"), "\(outcome)")
      #expect(lines.filter { $0 == "backend.json" }.count == 1, "\(outcome)")
    }
  }

  @Test func `a session is sent to no server but its own`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await Self.shell(
        """
        serve; first=$address first_pid=$pid
        sign_in ada@example.com --backend "$first" > signed-in || exit 98
        client token --backend "http://127.0.0.1:9" 2>&1; echo "status $?"
        GATEHOUSE_BACKEND=identity-platform client whoami 2>&1; echo "status $?"
        client token --backend home 2>&1; echo "status $?"
        client token --backend "$first" > token && echo same
        gate token --home "$home" --backend "$first" 2>&1; echo "status $?"
        """, in: home)
      #expect(outcome.output.matches(of: /this home's session belongs to http:/).count == 3, "\(outcome)")
      #expect(outcome.output.contains("sign in: gate sign-in EMAIL --backend http://127.0.0.1:9"), "\(outcome)")
      #expect(outcome.output.contains("belongs to the home's own provider, and is sent to no other"), "\(outcome)")
      #expect(outcome.output.matches(of: /status 1/).count == 4 && outcome.output.contains("same\n"), "\(outcome)")
    }
  }

  @Test func `a sign-in elsewhere erases the session that the home had`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await Self.shell(
        """
        serve
        gate token --home "$home" > token && echo "own session"
        printf %s "$password" | gate sign-in ada@example.com --home "$home" --backend "$address" --password-stdin > a
        [ -e "$home/backend.json" ] && ! grep -q refresh "$home/session.json" && echo erased
        gate whoami --home "$home"
        printf %s "$password" | gate sign-in ada@example.com --home "$home" --backend home --password-stdin > b
        [ ! -e "$home/backend.json" ] && ! grep -q refresh "$home"/sessions/*.json && echo "erased there"
        gate whoami --home "$home" && gate token --home "$home" > token && echo "own session again"
        """, in: home)
      let said = ["own session", "erased", "erased there", "own session again"]
      let lines = outcome.output.split(separator: "\n").map(String.init)
      #expect(lines.filter { said.contains($0) } == said, "\(outcome)")
      #expect(lines.filter { $0.contains("ada@example.com") }.count == 2, "\(outcome)")
    }
  }

  @Test(arguments: ["client", "gate"])
  func `programs of one home share a refresh token that each refresh spends`(_ command: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await Self.shell(
        """
        export GATEHOUSE_PROVIDER_ROTATES_REFRESH_TOKENS=true
        serve
        sign_in ada@example.com --backend "$address" > signed-in || exit 98
        ask() { if [ \(command) = client ]; then client "$@"; else gate "$@" --home "$home"; fi; }
        for i in 1 2 3 4 5 6 7 8; do
          { ask token --force-refresh > token$i 2>&1 && echo refreshed >> done || cat token$i; } & asked="$asked $!"
        done
        wait $asked
        wc -l < done
        ask whoami
        """, in: home)
      #expect(outcome.output.hasPrefix("8\n"), "\(outcome)")
      #expect(outcome.output.contains("ada@example.com"), "\(outcome)")
    }
  }

  @Test func `an account is changed at a server as at home`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await Self.shell(
        """
        serve
        sign_in ada@example.com --backend "$address" > signed-in || exit 98
        client verify-email
        # The server answers before it has sent the message.
        await 'ls "$home"/outbox/*.eml > /dev/null 2>&1'
        grep -ho 'http.*oobCode=[^&]*' "$home"/outbox/* | client apply-code --code-stdin
        printf '%s\\n%s' "$password" "a new password" | client password --password-stdin && echo changed
        client reset-password ada@example.com --json
        client reset-password ada@example.com --sendmail cat --from a@example.com 2>&1; echo "status $?"
        client sessions list --json
        client second-factors list
        printf %s "a new password" | client delete --password-stdin
        client whoami 2>&1; echo "status $?"
        """, in: home)
      #expect(outcome.output.contains("verified ada@example.com\n"), "\(outcome)")
      #expect(outcome.output.contains("changed\n"), "\(outcome)")
      #expect(outcome.output.contains("to send the message to ada@example.com"), "\(outcome)")
      #expect(outcome.output.contains(#"{"to":"ada@example.com","askedServer":"http://127.0.0.1:"#), "\(outcome)")
      #expect(outcome.output.contains("sends its messages itself; leave --sendmail"), "\(outcome)")
      #expect(outcome.output.contains("status 2") && outcome.output.contains("the account has no second factor"))
      #expect(outcome.output.contains("deleted: ") && outcome.output.contains("status 3"), "\(outcome)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `a second factor is asked for at a server, and removed there`() async throws {
    try await GateHome.withApp { home, app in
      let outcome = try await home.shell(
        Self.tools + """
          serve
          sign_in ada@example.com --backend "$address" 2>&1; echo "status $?"
          # The code is made here: it is good for a minute.
          code=$(python3 -c "$codes"'import sys; print(app_code(sys.argv[1], 1).decode())' "$secret") || exit 98
          sign_in ada@example.com --backend "$address" --second-factor "$code" > signed-in && echo in
          client second-factors list
          codes() { client second-factors recovery-codes --password-stdin --second-factor "$recovery" --json; }
          recovery=$(printf %s "$password" | codes | cut -d '"' -f 4) && echo "codes ${#recovery}"
          printf %s "$password" | client second-factors remove "my phone" --password-stdin --second-factor "$recovery"
          client second-factors list
          """,
        environment: [
          "password": GateHome.password, "codes": Terminal.appCodes, "secret": app.secret,
          "recovery": try #require(app.recoveryCodes.first),
        ])
      #expect(outcome.output.contains("[secondFactorRequired]\nstatus 1\nin\nmy phone ("), "\(outcome)")
      #expect(outcome.output.contains("codes \(app.recoveryCodes[0].count)\n"), "\(outcome)")
      #expect(outcome.output.contains("removed: my phone"), "\(outcome)")
      #expect(outcome.output.hasSuffix("the account has no second factor\n"), "\(outcome)")
    }
  }

  @Test func `a watch keeps a server's token fresh, and ends when the home signs in elsewhere`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await Self.shell(
        """
        serve
        sign_in ada@example.com --backend "$address" > signed-in || exit 98
        client token --watch --file token 2> watch-errors & watch=$!
        await '[ -s token ] || ! kill -0 $watch'
        gate verify --jwks "$address/.well-known/jwks.json" < token > verified && echo verified
        rm token
        await '[ -s token ] || ! kill -0 $watch'
        printf %s "$password" | client sign-up bob@example.com --backend home --password-stdin > signed-up || exit 95
        wait $watch; echo "status $?"
        cat watch-errors
        """, in: home)
      #expect(outcome.output.contains("verified\nstatus 3\n"), "\(outcome)")
      #expect(outcome.output.contains("the session has ended"), "\(outcome)")
    }
  }

  @Test func `an emulator's variable names the host of Identity Platform, and no session goes past it`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await Self.shell(
        """
        serve --api-key good
        export FIREBASE_AUTH_EMULATOR_HOST=${address#http://}
        sign_in ada@example.com --backend identity-platform --api-key bad 2>&1; echo "status $?"
        GATEHOUSE_API_KEY=good sign_in ada@example.com --backend identity-platform > signed-in || exit 98
        unset FIREBASE_AUTH_EMULATOR_HOST
        client token --force-refresh > token && echo remembered
        grep -c "$address" client/backend.json
        client sign-out > signed-out
        sign_in ada@example.com --backend identity-platform 2>&1; echo "status $?"
        printf '{"backend":"identity-platform","apiKey":"k"}' > client/backend.json; chmod 600 client/backend.json
        FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:9 client whoami 2>&1; echo "status $?"
        """, in: home)
      #expect(outcome.output.contains("API key"), "\(outcome)")
      #expect(outcome.output.contains("remembered\n1\n"), "\(outcome)")
      #expect(outcome.output.contains("wants the API key of your project: set GATEHOUSE_API_KEY"), "\(outcome)")
      #expect(outcome.output.contains("names http://127.0.0.1:9: unset the variable"), "\(outcome)")
      #expect(outcome.output.matches(of: /status 1/).count == 3, "\(outcome)")
    }
  }

  @Test(arguments: [
    "users list", "keys list", "provider settings", "tenants list", "jwks", "serve", "verify a.b.c",
  ])
  func `what works with the home's own provider refuses a backend, and says why`(command: String) async throws {
    try await GateHome.withNone { home in
      for line in ["\(command) --backend identity-platform", "--backend http://127.0.0.1:9 \(command)"] {
        let outcome = try await home.gate(line.split(separator: " ").map(String.init), input: [])
        #expect(outcome.status == 2 && outcome.output == "", "\(outcome)")
        #expect(outcome.errors.contains("works with the home's own provider, and no server is asked"), "\(outcome)")
      }
    }
  }

  @Test(arguments: [
    ("http://example.com", "plain HTTP to example.com is refused"), ("example.com", "must begin with https://"),
    ("https://a.example/?key=k", "the URL has a query"), ("https://user:pw@a.example", "must not hold a user name"),
    ("https://a.example/" + String(repeating: "a", count: 100), "longer than 80 bytes"),
    ("", "must begin with https://"),
  ])
  func `what is no backend is wrong usage`(name: String, reason: String) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(["whoami", "--backend", name], input: [])
      #expect(outcome.status == 2 && outcome.errors.contains("Error: --backend: "), "\(outcome)")
      #expect(outcome.errors.contains(reason) && outcome.errors.contains("\nUsage: gate whoami "), "\(outcome)")
      let json = try await home.gate(["--backend", name, "whoami", "--json"], input: [])
      #expect(json.status == 2 && json.output.contains(reason), "\(json)")
      for said in [outcome.errors, json.errors, json.output] {
        #expect(!said.contains("user:pw") && !said.contains("key=k"), "a name may hold a secret: \(said)")
      }
      guard !name.isEmpty else { return }
      let set = try await home.gate("whoami", environment: ["GATEHOUSE_BACKEND": name])
      #expect(set.status == 2 && set.errors.contains("GATEHOUSE_BACKEND: "), "\(set)")
    }
  }

  @Test func `an administrator in a home whose session is at a server is told where the accounts are`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await Self.shell(
        """
        serve
        sign_in ada@example.com --backend "$address" > /dev/null
        client users list 2> refused; echo "status $?"
        grep -c "this home's session is at $address, .*: gate sign-up EMAIL --backend home" refused
        printf %s "$password" | client sign-up eve@example.com --password-stdin --backend home > /dev/null
        client users list | grep -o eve@example.com
        """, in: home)
      #expect(outcome.output == "status 1\n1\neve@example.com\n", "\(outcome)")
    }
  }

  @Test func `a server that is not there is said, and nothing is remembered`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(
        "sign-in", "ada@example.com", "--backend", "http://127.0.0.1:9", "--password-stdin", input: "a password")
      #expect(
        outcome.status == 1 && outcome.errors.contains("127.0.0.1:9 takes no connection; is the server"), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: home.path + "/backend.json"))
    }
  }
}
