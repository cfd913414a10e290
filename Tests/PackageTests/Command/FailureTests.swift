import GatehouseBase
import HangGuard
import Testing

/// How a command that fails says so: to programs, and to no reader at all.
struct FailureTests {
  @Test func `a failure with --json is one line of JSON, and its words are on standard error too`() async throws {
    try await GateHome.withAda { home in
      let cases: [(arguments: [String], input: String, code: String, status: Int)] = [
        (["sign-in", GateHome.email, "--password-stdin"], "wrong horse", "wrongPassword", 1),
        (["sign-up", GateHome.email, "--password-stdin"], "long enough", "emailAlreadyInUse", 1),
        (["jwt", "decode", "nonsense"], "", "tokenMalformed", 1),
        (["verify", "--jwks", "missing", "a.b.c"], "", "storeUnreadable", 1),
        (["token", "--nonsense"], "", "usage", 2), (["tokn"], "", "usage", 2),
        (["sign-out"], "", "", 0), (["token"], "", "nullUser", 3),
        (["password", "--password-stdin"], "", "nullUser", 3),
      ]
      for (arguments, input, code, status) in cases {
        let outcome = try await home.gate(arguments + ["--json"], input: Array(input.utf8))
        #expect(outcome.status == status, "\(outcome)")
        guard status != 0 else { continue }
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 2 && lines[1].isEmpty, "\(outcome)")
        let error = try JSONObject(parsing: lines[0].utf8)["error"]
        #expect(error?["code"]?.string == code && error?["status"]?.double == Double(status), "\(outcome)")
        let message = try #require(error?["message"]?.string)
        #expect(outcome.errors.contains(message), "\(outcome)")
        let plain = try await home.gate(arguments, input: Array(input.utf8))
        #expect(plain.output == "" && plain.status == status, "\(plain)")
      }
    }
  }

  @Test func `a token that is refused has an answer of its own, and only that`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.gate("verify", "--json", "a.b.c")
      #expect(outcome.status == 1 && outcome.output.hasPrefix("{\"valid\":false,\"reason\":\""), "\(outcome)")
      #expect(outcome.output.split(separator: "\n").count == 1)
    }
  }

  @Test func `keys that cannot be had are a failure, and a refused token is an answer`() async throws {
    try await GateHome.withAda { home in
      let token = try await home.gate("token").output.dropLast()
      let rules = ["--issuer", "https://securetoken.google.com/local", "--audience", "local", "--json", String(token)]
      let unread = try await home.gate(["verify", "--jwks", "http://127.0.0.1:1/keys"] + rules, input: [])
      #expect(unread.status == 1 && unread.output.hasPrefix("{\"error\":{\"code\":\"keysUnavailable\""), "\(unread)")
      // The port is closed: what cannot be looked up is no refusal of the token.
      let unknown = try await home.shell(
        """
        gate key generate --out "$home/key" > "$home/shown"
        t=$(gate jwt sign --key "$home/key" --issuer http://127.0.0.1:1 --audience a)
        gate verify --issuer http://127.0.0.1:1 --audience a --json "$t"
        """)
      #expect(unknown.status == 1, "\(unknown)")
      #expect(unknown.output.hasPrefix("{\"error\":{\"code\":\"keysUnavailable\""), "\(unknown)")
      let refused = try await home.shell("gate verify --home \"$home\" --json \(token)x")
      #expect(refused.status == 1 && refused.output.hasPrefix("{\"valid\":false,"), "\(refused)")
    }
  }

  @Test(.enabled("python3 is not installed") { await WebServer.isThere })
  func `a server that is busy is named, and when to try again`() async throws {
    try await KeyScene.with { scene in
      let token =
        "gate key generate --out key > shown; t=$(gate jwt sign --key key --issuer \"$url/busy\" --audience a)"
      for keys in ["--issuer \"$url/busy\"", "--jwks \"$url/busy\" --issuer x"] {
        let outcome = try await WebServer.run(
          in: scene.home.folder, "\(token); rm key; gate verify --json --audience a \(keys) $t",
          environment: scene.home.environment)
        let error = try JSONObject(parsing: outcome.output.utf8)["error"]
        #expect(outcome.status == 1 && error?["code"]?.string == "keysUnavailable", "\(outcome)")
        #expect(error?["retryAfter"]?.double == 7, "\(outcome)")
        #expect(outcome.errors.contains("is unavailable (status 503); try again in 7 s"), "\(outcome)")
      }
      for keys in ["--issuer \"$url/busy\"", "--jwks \"$url/busy\" --issuer x"] {
        let ask = "q=\"{\\\"token\\\":\\\"$t\\\"}\"; printf '%s\\n' \"$q\" \"$q\""
        let line = "\(token); rm -f key refused; \(ask) | gate verify --batch \(keys) --audience a"
        let batch = try await WebServer.run(in: scene.home.folder, line, environment: scene.home.environment)
        #expect(batch.succeeded && batch.errors == "", "\(batch)")
        let answers = try BatchScene.lines(of: batch.output)
        #expect(answers.map(\.reason) == ["keysUnavailable", "keysUnavailable"], "\(batch)")
        #expect(answers.allSatisfy { $0["retryAfter"]?.double == 7 }, "\(batch)")
        // The second line sends no request: the server said when to come back.
        let asked = try scene.text(of: "refused").split(separator: "\n").count
        #expect(asked == 1, "\(asked) requests\n\(batch)")
      }
    }
  }

  @Test(.enabled("python3 is not installed") { await WebServer.isThere })
  func `a batch asks a server again that was busy`() async throws {
    try await KeyScene.with { scene in
      let line = """
        mkdir -p once/.well-known; gate key generate --out key > shown; gate key convert key --to jwks > once/keys
        t=$(gate jwt sign --key key --issuer "$url/once" --audience a); rm key
        printf '{"issuer":"%s/once","jwks_uri":"%s/once/keys"}' "$url" "$url" > once/.well-known/openid-configuration
        ask() { printf '{"token":"%s"}\\n' "$t"; }
        mkfifo in out; gate verify --batch --issuer "$url/once" --audience a < in > out & exec 3> in 4< out
        ask >&3; read -r answer <&4; echo "$answer"
        while case $answer in *keysUnavailable*) ;; *) false;; esac; do
          ask >&3; read -r answer <&4 || exit 1
        done
        echo asked again
        """
      let outcome = try await WebServer.run(
        in: scene.home.folder, "timeout \(Watchdog.seconds) sh -c '\(line.replacing("'", with: "'\\''"))'",
        environment: scene.home.environment)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.first?.contains("\"reason\":\"keysUnavailable\"") == true, "\(outcome)")
      #expect(lines.last == "asked again", "\(outcome)")
    }
  }

  /// As an argument and on standard input alike.
  @Test(arguments: [
    (String(repeating: "a", count: 20_000), "tokenTooLarge"), ("Bearer a.b.c", "tokenMalformed"),
    ("a.b", "tokenMalformed"), ("eyJhbGciOiJub25lIn0.e30.", "tokenMalformed"),
  ])
  func `what can be no token has one answer, wherever it comes from`(text: String, reason: String) async throws {
    try await GateHome.withAda { home in
      let given = try await home.gate("verify", "--json", text)
      let piped = try await home.gate("verify", "--json", input: text)
      #expect(given.output == piped.output && given.status == 1 && piped.status == 1, "\(given) \(piped)")
      #expect(given.output.hasPrefix("{\"valid\":false,\"reason\":\"\(reason)\","), "\(given)")
      #expect(!given.errors.contains("UnsecuredToken"), "\(given)")
    }
  }

  @Test(arguments: [
    "gate demo", "gate key generate", "gate help", "gate whoami --json", "gate jwks", "gate --version",
    "gate verify --json a.b.c",
  ])
  func `a reader that goes away ends a command quietly`(line: String) async throws {
    try await GateHome.withAda { home in
      // The reader is gone before the command begins.
      let outcome = try await home.shell(
        """
        export GATEHOUSE_HOME="$home"; mkfifo pipe; { exec 3<>pipe 4>pipe 3>&-; }
        { \(line); echo $? > status; } >&4 2> errors; cat status errors
        """, environment: ["TMPDIR": home.folder, "GATEHOUSE_STRICT": ""])
      #expect(outcome.output == "141\n", "\(outcome)")
    }
  }

  /// Names that no server has, and a port where nothing listens: what went wrong is said in words.
  @Test(arguments: ["https://keys.invalid/keys", "http://127.0.0.1:1/keys"])
  func `no words of Foundation's`(url: String) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate("verify", "--jwks", url, "--issuer", url, "--audience", "a", "a.b.c")
      #expect(outcome.status == 1 && outcome.errors.contains("keysUnavailable"), "\(outcome)")
      for word in ["URL error", "NSURL", "Error Domain", "-100"] {
        #expect(!outcome.errors.contains(word), "\(outcome)")
      }
    }
  }
}
