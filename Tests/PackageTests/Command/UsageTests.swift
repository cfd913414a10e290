import Testing

/// How the command answers to arguments that it does not understand.
@Suite struct UsageTests {
  @Test(arguments: [
    ["nonsense"], ["--nonsense"], ["sign-up"], ["sign-up", ""], ["sign-in", ""],
    ["sign-in", "a@example.com", "b@example.com"], ["token", "--file", "x"],
    ["token", "--on-change", "true"], ["token", "--watch", "--force-refresh"], ["token", "--watch", "--file", ""],
    ["token", "--watch", "--file", "x/"], ["token", "--watch", "--file", "x/.."], ["token", "--watch", "--file", "."],
    ["token", "--watch", "--file", "~/x"], ["token", "--watch", "--on-change", ""], ["--home", "", "whoami"],
    ["verify", "--jwks"],
    ["sign-in", "a@example.com", "--password-stdin", "--password-file", "x"],
    ["sign-in", "a@example.com", "--password", "secret"],
    ["verify", "--batch", "a.b.c"], ["verify", "--jws", "--issuer", "x"],
    ["verify", "--batch", "--jws", "--audience", "x"],
    ["jwt", "nonsense"], ["jwt", "sign"], ["jwt", "sign", "--key", "x", "--alg", "none"],
    ["jwt", "sign", "--key", "x", "--claims", "{}", "--claims-file", "x"],
    ["jwt", "sign", "--key", "x", "--expires-in", "0"], ["jwt", "sign", "--key", "x", "--passphrase", "secret"],
    ["jwt", "sign", "--key", "x", "--passphrase-stdin", "--passphrase-file", "x"],
    ["key", "generate", "--type", "dsa"], ["key", "generate", "--bits", "2048"],
    ["key", "generate", "--type", "rsa", "--bits", "1024"], ["key", "generate", "--type", "oct", "--bits", "130"],
    ["key", "generate", "--curve", "P-257"], ["key", "generate", "--type", "rsa", "--curve", "P-256"],
    ["key", "generate", "--type", "oct", "--format", "pem"], ["key", "generate", "--format", "pem", "--kid", "x"],
    ["key", "generate", "--passphrase-file", "x"], ["key", "generate", "--alg", "none"],
    ["key", "generate", "--out", ""],
    ["key", "generate", "--use", "sig", "--alg", "ECDH-ES"], ["key", "show"], ["key", "convert", "x"],
    ["key", "convert", "x", "--to", "jwk", "--new-passphrase-file", "x"],
    ["jwt", "sign", "--key", ""], ["jwt", "sign", "--key", "x", "--claims-file", ""], ["key", "show", ""],
    ["key", "thumbprint", ""], ["key", "convert", "", "--to", "jwk"], ["jwks", ""], ["verify", "--jwks", "", "a.b.c"],
    ["sign-in", "a@example.com", "--password-file", ""], ["verify", "--issuer", "me", "--audience", "a", "a.b.c"],
    ["provider", "nonsense"], ["provider", "backup"], ["provider", "restore"], ["provider", "backup", ""],
    ["provider", "restore", ""], ["provider", "backup", "x", "--replace"],
  ])
  func `wrong usage ends with 2`(arguments: [String]) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(arguments, input: [])
      #expect(outcome.status == 2 && outcome.output == "" && outcome.errors.contains("Usage:"), "\(outcome)")
    }
  }

  @Test func `without a terminal a password must come from somewhere`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell("setsid -w gate --home \"$home\" sign-in ada@example.com < /dev/null")
      #expect(outcome.status == 2 && outcome.errors.contains("--password-stdin"), "\(outcome)")
    }
  }

  @Test(arguments: [
    ["--help"], ["help"], ["help", "token"], ["token", "--help"], ["jwt"], ["key"], ["help", "jwt", "sign"],
    ["provider"],
  ])
  func `help is an answer`(arguments: [String]) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(arguments, input: [])
      #expect(outcome.succeeded && outcome.errors == "" && outcome.output.contains("USAGE: gate"), "\(outcome)")
    }
  }

  @Test func `the help and the document have the same exit statuses`() async throws {
    let help = try await ChildProcess("\(Repository.products)/gate", ["help"]).run().output
    let document = try Repository.text(of: "Docs/command.md")
    let told = help.matches(of: /^ +(\d|128 \+ N) {2,}/.anchorsMatchLineEndings()).map { String($0.1) }
    let written = document.matches(of: /^\| (\d|128 \+ N) \|/.anchorsMatchLineEndings()).map { String($0.1) }
    #expect(told == ["0", "1", "2", "3", "4", "128 + N"] && told == written, "\(told) \(written)")
  }

  @Test func `the help tells how to try the watch`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate("help", "token")
      for word in ["GATEHOUSE_TOKEN_LIFETIME", "GATEHOUSE_TOKEN_FILE", "SIGTERM"] {
        #expect(outcome.output.contains(word), "\(word)")
      }
    }
  }
}
