import Testing

/// How the command answers to arguments that it does not understand.
@Suite struct UsageTests {
  @Test(arguments: [
    ["nonsense"], ["--nonsense"], ["sign-up"], ["sign-in", "a@example.com", "b@example.com"], ["token", "--file", "x"],
    ["token", "--on-change", "true"], ["token", "--watch", "--force-refresh"], ["token", "--watch", "--file", ""],
    ["token", "--watch", "--on-change", ""], ["--home", "", "whoami"], ["verify", "--jwks"],
    ["sign-in", "a@example.com", "--password-stdin", "--password-file", "x"],
    ["sign-in", "a@example.com", "--password", "secret"],
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

  @Test(arguments: [["--help"], ["help"], ["help", "token"], ["token", "--help"]])
  func `help is an answer`(arguments: [String]) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(arguments, input: [])
      #expect(outcome.succeeded && outcome.errors == "" && outcome.output.contains("USAGE: gate"), "\(outcome)")
    }
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
