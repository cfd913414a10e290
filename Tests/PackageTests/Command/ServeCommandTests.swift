import Foundation
import GatehouseCrypto
import GatehouseJOSE
import Testing

struct ServeCommandTests {
  /// `serve ARGUMENT…` starts a server of the home in the background, with its process in `$pid`, and returns when
  /// clients may come: its address is in `$address`.
  static let tools = """
    serve() {
      gate serve --home "$home" --port 0 --ready-fd 3 "$@" > answer 2> errors 3> ready & pid=$!
      await '[ -s ready ] || ! kill -0 $pid 2> /dev/null'
      address=$(cat ready)
    }
    trap 'kill -9 $pid 2> /dev/null; cat errors >&2' EXIT

    """

  @Test func `a server says where it listens, serves the home's keys, and ends at a signal`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          serve --json
          printf %s "$password" | gate sign-in ada@example.com --home "$home" --password-stdin > signed-in || exit 98
          gate token --home "$home" | gate verify --jwks "$address/.well-known/jwks.json" > verified || exit 97
          cat answer
          kill -TERM $pid; wait $pid; echo "status $?"
          """, environment: ["password": GateHome.password])
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 2, "\(outcome)")
      let answer = try JSONObject(parsing: Array((lines.first ?? "").utf8))
      #expect(answer.names == ["address", "project", "emulator"])
      #expect(answer["address"]?.string?.hasPrefix("http://127.0.0.1:") == true)
      #expect(answer["emulator"]?.bool == false)
      #expect(lines.last == "status 0")
    }
  }

  @Test(.enabled("curl is not installed") { FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") })
  func `an emulator has a project of its own, others beside it, and keeps them all for its next start`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        Self.tools + """
          make() {
            curl -sS -o /dev/null -H 'Authorization: Bearer owner' -H 'Content-Type: application/json' \
              -d '{"email":"'$2'@example.com","password":"correct horse"}' "$address/v1/projects/$1/accounts"
          }
          list() {
            curl -sS -H 'Authorization: Bearer owner' "$address/v1/projects/$1/accounts:batchGet" \
              | grep -oE '[a-z]+@example.com' | sort -u | tr '\\n' ' '; echo "in $1"
          }
          serve --emulator --project mine --json
          grep -o '"project":"[a-z]*"' answer
          make mine ada; make other bob
          kill -TERM $pid; wait $pid; echo "status $?"
          rm ready; serve --emulator
          list mine; list other
          curl -sS -o /dev/null -X DELETE "$address/emulator/v1/projects/none/accounts"
          kill -TERM $pid; wait $pid
          ls "$home/projects"
          gate serve --home "$home" --port 0 --emulator --project other; echo "status $?"
          rm "$home/project"; gate serve --home "$home" --port 0 --emulator --project other; echo "status $?"
          gate serve --home "$home" --port 0 --project other 2> /dev/null; echo "status $?"
          gate serve --home "$home" --port 0 --emulator --project ../x 2> /dev/null; echo "status $?"
          """)
      #expect(
        outcome.output.split(separator: "\n") == [
          #""project":"mine""#, "status 0", "ada@example.com in mine", "bob@example.com in other", "other", "status 1",
          "status 1",
          "status 2", "status 2",
        ], "\(outcome)")
      #expect(outcome.errors.contains("are in the project mine"), "\(outcome)")
    }
  }

  @Test(.enabled("curl is not installed") { FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") })
  func `a command finds the emulator that runs it, and its status is the server's`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        """
        serve() { gate serve --home "$home" --port 0 --emulator "$@"; echo "status $?"; }
        serve --project demo --exec -- sh -c 'curl -sS "http://$FIREBASE_AUTH_EMULATOR_HOST/" | grep -o ready
          echo "$GCLOUD_PROJECT $GOOGLE_CLOUD_PROJECT"; exit 7'
        serve --exec -- true
        serve --exec -- /nowhere/at/all
        serve --exec
        serve -- true
        sign='curl -sS -d "{}" -H "Content-Type: application/json"
          "http://$FIREBASE_AUTH_EMULATOR_HOST/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"'
        serve --exec -- sh -c "$(echo $sign) | grep -c 'eyJhbGciOiJub25l'"
        serve --unsigned-tokens --exec -- sh -c "$(echo $sign) | grep -c 'eyJhbGciOiJub25l'"
        gate serve --home "$home" --port 0 --unsigned-tokens; echo "status $?"
        gate serve --home "$home" --port 0 --exec -- true; echo "status $?"
        : > begun; mkfifo never
        gate serve --home "$home" --port 0 --emulator --exec -- sh -c 'echo $$ > begun; read line < never' & pid=$!
        await '[ -s begun ] || ! kill -0 $pid'
        kill -TERM $pid; wait $pid; echo "status $?"
        kill -0 $(cat begun) 2> /dev/null || echo "the command has ended"
        """)
      #expect(
        outcome.output.split(separator: "\n") == [
          "ready", "demo demo", "status 7", "status 0", "status 1", "status 2", "status 2", "0", "status 1", "1",
          "status 0", "status 2", "status 2", "status 143", "the command has ended",
        ], "\(outcome)")
      #expect(outcome.errors.contains("the emulator is at http://127.0.0.1:"), "\(outcome)")
    }
  }

  @Test func `an emulator says that it is one, and has a home that no other server opens`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          gate serve --home "$home" --port 0 --emulator; echo "status $?"
          export GATEHOUSE_HOME=$home; real=$home; home=$real/emulator
          gate serve --port 0 --emulator --ready-fd 3 > answer 2> errors 3> ready & pid=$!
          await '[ -s ready ] || ! kill -0 $pid'
          gate users list --home "$home"; echo "status $?"
          gate users list --home "$real" | grep -c ada@example.com
          kill -HUP $pid; wait $pid; echo "status $?"
          gate serve --home "$home" --port 0; echo "status $?"
          """)
      #expect(outcome.errors.contains("every client can sign in as every user"), "\(outcome)")
      #expect(outcome.errors.contains("is not an emulator's"), "\(outcome)")
      #expect(outcome.errors.contains("emulator/provider is an emulator's"), "\(outcome)")
      let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix("status") || $0 == "1" }
      #expect(lines == ["status 1", "status 0", "1", "status 0", "status 1"], "\(outcome)")
    }
  }

  @Test func `figures have an address of their own`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + "serve --metrics-address 127.0.0.1:0; kill -TERM $pid; wait $pid; echo \"status $?\"")
      #expect(outcome.errors.contains(/figures are at http:\/\/127.0.0.1:[1-9][0-9]*\/metrics/), "\(outcome)")
      #expect(outcome.output == "status 0\n", "\(outcome)")
    }
  }

  @Test func `with a certificate it serves HTTPS, and SIGHUP reads the files again`() async throws {
    try await GateHome.withAda { home in
      let key = try PrivateKey.generate(.ec(.p256))
      let outcome = try await home.shell(
        Self.tools + """
          umask 077
          printf %s "$certificate" > certificate.pem; printf %s "$key" > key.pem
          serve --tls-certificate certificate.pem --tls-key key.pem --metrics --rate-limit 5 \
            --trusted-proxies 10.0.0.0/8
          cat answer
          grep 'Max core file size' /proc/$pid/limits | tr -s ' '
          chmod 644 key.pem
          kill -HUP $pid
          await 'grep -q "key.pem is open to other users" errors || ! kill -0 $pid'
          chmod 600 key.pem
          echo broken > key.pem
          kill -HUP $pid
          await 'grep -q "has no private key" errors || ! kill -0 $pid'
          kill -TERM $pid; wait $pid; echo "status $?"
          gate serve --home "$home" --port 0 --tls-certificate certificate.pem --tls-key key.pem; echo "status $?"
          """,
        environment: ["certificate": CertificateIssuer().certificate(of: key.publicKey).pem, "key": key.pem().revealed])
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.first?.hasPrefix("https://127.0.0.1:") == true, "\(outcome)")
      #expect(lines.dropFirst() == ["Max core file size 0 0 bytes ", "status 0", "status 1"], "\(outcome)")
      #expect(outcome.errors.contains("key.pem has no private key in PEM form"), "\(outcome)")
      #expect(!outcome.errors.contains("PRIVATE"))
    }
  }

  @Test func `a home that others can change is refused, with advice`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        """
        for mode in 777 770 702; do
          chmod $mode "$home"
          gate serve --home "$home" --port 0 2> errors; echo "status $?"
          grep -c "open to other users.*run: chmod 700" errors
          chmod 700 "$home"
        done
        mv "$home" "$home.real"; ln -s "$home.real" "$home"
        gate serve --home "$home" --port 0 2> errors; echo "status $?"
        grep -c "is a symbolic link" errors
        rm "$home"; mv "$home.real" "$home"
        """)
      #expect(outcome.output == String(repeating: "status 1\n1\n", count: 4), "\(outcome)")
    }
  }

  @Test(
    .enabled("curl is not installed") { (try? await ChildProcess("curl", ["--version"]).run())?.succeeded ?? false })
  func `a network signs up and gets messages in limited numbers, but not at an emulator`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          # Sends two requests of a network, and one more, and prints how many of all are refused.
          refused() {
            count=$1; network=$2; path=$3
            {
              tries=0
              while [ $tries -lt $count ]; do
                tries=$((tries + 1))
                body=$(printf "$4" $tries)
                printf 'next\nurl = "%s/v1/accounts:%s?key=k"\ndata = "%s"\n' "$address" "$path" "$body"
                printf 'header = "X-Forwarded-For: %s"\nheader = "Content-Type: application/json"\n' "$network"
              done
            } | curl -sS -K - > answers
            grep -c TOO_MANY_ATTEMPTS_TRY_LATER answers
          }
          message='{\\"requestType\\":\\"EMAIL_SIGNIN\\",\\"email\\":\\"user%s@example.com\\",'
          message="$message"'\\"continueUrl\\":\\"http://localhost/\\"}'
          serve --trusted-proxies 1
          refused 101 192.0.2.1 signUp '{}'
          refused 21 192.0.2.1 sendOobCode "$message"
          refused 101 127.0.0.1 signUp '{}'
          kill -TERM $pid; wait $pid
          rm ready; export GATEHOUSE_HOME=$home; home=$home/emulator
          serve --trusted-proxies 1 --emulator
          refused 101 192.0.2.1 signUp '{}'
          """)
      #expect(outcome.output == "1\n1\n0\n0\n", "\(outcome)")
    }
  }

  @Test func `an address that is taken is told, and what cannot be is wrong usage`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + "serve; gate serve --home \"$home\" --port ${address##*:} 2>&1; echo \"status $?\"")
      #expect(outcome.output.contains("cannot be listened at"), "\(outcome)")
      #expect(outcome.output.hasSuffix("status 1\n"), "\(outcome)")
      for arguments in [
        ["--tls-key", "x"], ["--rate-limit", "0"], ["--rate-burst", "5"], ["--trusted-proxies", "10.0.0.1/8"],
        ["--metrics-address", "9100"], ["--metrics-address", "::1:9100"], ["--metrics", "--metrics-address", "a:1"],
        ["--port", "70000"], ["--public-url", "id.example.com"], ["--api-key", ""], ["--ready-fd", "x"],
        ["--ready-fd", "77"], ["--emulator", "--host", "0.0.0.0"], ["--emulator", "--host", "gate.example.com"],
        ["--port", "9400", "--socket", "x"], ["--host", "::1", "--socket", "x"],
        ["--expose-emulator"], ["--emulator", "--allow-origin", "app.test"], ["--allow-origin", "https://*.app.test"],
        ["--emulator", "--allow-private-network"],
      ] {
        #expect(try await home.gate(["serve"] + arguments, input: []).status == 2, "\(arguments)")
      }
      let early = try await home.gate(["serve", "--port", "0", "--json", "--ready-fd", "77"], input: [])
      #expect(early.output.split(separator: "\n").count == 1, "\(early)")
      #expect(early.errors.contains("--ready-fd 77"), "\(early)")
    }
  }
}
