import Testing

/// What a person types or pastes by mistake.
struct MistypedTests {
  @Test(arguments: [
    (["tokn"], "did you mean 'token'?"), (["sing-in"], "did you mean 'sign-in'?"),
    (["jwt", "decod", "x"], "did you mean 'decode'?"), (["--home", "/nowhere", "whomai"], "did you mean 'whoami'?"),
    (["SIGN-IN"], "did you mean 'sign-in'?"), (["Jwt", "decode"], "did you mean 'jwt'?"),
    (["help", "nonsense"], "'gate --help' lists the commands"), (["help", "jwt", "sing"], "did you mean 'sign'?"),
    (["login"], "did you mean 'sign-in'?"), (["Log-Out"], "did you mean 'sign-out'?"),
    (["2fa"], "did you mean 'second-factors'?"), (["forgot"], "did you mean 'reset-password'?"),
    (["user"], "did you mean 'whoami'?"), (["user", "list"], "did you mean 'users list'?"),
    (["import", "users.json"], "did you mean 'users import'?"), (["users", "ls"], "did you mean 'list'?"),
    (["key", "nonsense"], "Usage: gate key <subcommand>"),
    (["register"], "did you mean 'sign-up'?"), (["jwt", "inspect"], "did you mean 'decode'?"),
    (["jwt", "login"], "'gate jwt --help' lists the commands"),
    (["\u{1B}[2J"], "there is no command '\\u{1B}[2J'"), (["a\nb"], "there is no command 'a\\nb'"),
    (["--\u{1B}[31mX"], "'--\\u{1B}[31mX'"), (["token", "--a\nb"], "'--a\\nb'"),
    (["serve", "--port=\u{1B}[31m\n1"], "'\\u{1B}[31m\\n1'"),
  ])
  func `a command that is not there is refused, with the one that was probably meant`(
    arguments: [String], advice: String
  ) async throws {
    let outcome = try await ChildProcess("\(Repository.products)/gate", arguments).run()
    #expect(outcome.status == 2 && outcome.errors.contains(advice), "\(outcome)")
    #expect(outcome.output.isEmpty && !outcome.errors.contains("\u{1B}"))
  }

  @Test(arguments: [
    ["help"], ["help", "help"], ["help", "jwt", "decode"], ["jwt", "--help"], ["--version"],
    ["--home", "/nowhere", "--help"],
  ])
  func `help and the version are no mistakes`(arguments: [String]) async throws {
    let outcome = try await ChildProcess("\(Repository.products)/gate", arguments).run()
    #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome)")
  }

  @Test(arguments: [
    ("Bearer e30.e30.", "this begins with Bearer"), ("DPoP e30.e30.", "this begins with DPoP"),
    ("Authorization: Bearer e30.e30.", "this begins with Authorization:"), ("\"e30.e30.\"", "is in quotes"),
    ("e30.e30. ", "white space"), (" e30.e30.", "white space"), ("e30.\ne30.", "white space"),
    ("", "there is no token"), ("\u{1B}[200~e30.e30.\u{1B}[201~", "(ESC [200~, ESC [201~) are around the token"),
    ("\u{1B}[200~e30.e30.", "(ESC [200~, ESC [201~) are around the token"),
    ("e30.e30.\u{200B}", "the token holds U+200B,"), ("\u{FEFF}e30.e30.", "the token holds U+FEFF,"),
    ("e30.\u{1}e30.", "the token holds U+0001,"), ("e30.e30.\u{1F511}", "the token holds U+1F511,"),
  ])
  func `what a token is pasted with is named`(text: String, reason: String) async throws {
    try await GateHome.withAda { home in
      for command in [["jwt", "decode"], ["verify"]] {
        let given = try await home.gate(command + [text], input: [UInt8]())
        #expect(given.status == 1 && given.errors.contains(reason), "\(given)")
        let piped = try await home.gate(command, input: Array(text.utf8))
        #expect(piped.status == 1 && piped.errors.contains(reason), "\(piped)")
      }
    }
  }

  @Test(
    .enabled("python3 is not installed") { await Terminal.isThere },
    arguments: [["verify"], ["jwt", "decode"], ["verify", "--jws"]])
  func `on a terminal a command says that it waits for a token`(command: [String]) async throws {
    try await GateHome.withAda { home in
      let outcome = try await Terminal.run(home, command, typing: ["eyJhbGciOiJFUzI1NiJ9.e30.AAAA"])
      let what = command.contains("--jws") ? "message" : "token"
      #expect(outcome.output.hasPrefix("gate: waiting for a \(what) on standard input; end it"), "\(outcome)")
      #expect(outcome.output.contains(command == ["jwt", "decode"] ? "NOTHING WAS VERIFIED" : "["), "\(outcome)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `the marks that a terminal puts around what is pasted are no part of a token`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await Terminal.run(
        home, ["jwt", "decode"], typing: ["\u{1B}[200~eyJhbGciOiJFUzI1NiJ9.e30.AAAA\u{1B}[201~"])
      #expect(outcome.status == 0 && outcome.output.contains("alg  \"ES256\""), "\(outcome)")
    }
  }

  @Test func `a token that the terminal may have cut is not read as another one`() async throws {
    try await GateHome.withAda { home in
      for (length, isRefused) in [(4094, false), (4095, true), (5000, true)] {
        let token = "eyJhbGciOiJFUzI1NiJ9.e30." + String(repeating: "A", count: length - 25)
        let outcome = try await Terminal.run(home, ["jwt", "decode"], typing: [token])
        let said = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(said.contains("the rest may be lost; pipe the token in") == isRefused, "\(outcome)")
      }
    }
  }

  @Test func `a token of another issuer is refused with the option that is missing`() async throws {
    try await GateHome.withAda { home in
      let make = "gate key generate --out key > shown; gate jwks key > keys; gate jwt sign --key key --audience app"
      let foreign = try await home.shell("\(make) --issuer https://a.example --expires-in 60 --subject a")
      #expect(foreign.succeeded, "\(foreign)")
      let token = String(foreign.output.dropLast())
      let other = try await home.shell("gate verify --jwks keys --audience app \(token)")
      #expect(other.status == 1 && other.errors.contains("the token's issuer (iss) is https://a.example; "), "\(other)")
      #expect(other.errors.contains("give --issuer too"), "\(other)")
      let both = try await home.gate("verify", "--audience", "app", "--issuer", "https://b.example", token)
      #expect(both.status == 1 && !both.errors.contains("give --issuer too"), "\(both)")
      #expect(both.errors.contains("(iss) is https://a.example, and --issuer is https://b.example"), "\(both)")
      let own = try await home.shell("gate verify --home \"$home\" --audience other $(gate --home \"$home\" token)")
      #expect(own.status == 1 && own.errors.contains("of the Firebase project local give --audience local"), "\(own)")
      let fresh = try await home.shell("gate verify --home \"$home/none\" \(token)")
      #expect(fresh.status == 1 && fresh.errors.contains("for a token of another provider give --issuer"), "\(fresh)")
    }
  }
}
