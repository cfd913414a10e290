import Foundation
import Testing

/// A session that outlives the process, seen through the built command.
struct SessionCommandTests {
  @Test func `a session survives the process`() async throws {
    try await GateHome.withNone { home in
      let made = try await home.gate("sign-up", "eve@example.com", "--password-stdin", input: "long enough\n")
      #expect(made.succeeded, "\(made)")
      let who = try await home.gate("whoami")
      #expect(who.succeeded && who.output.hasPrefix("eve@example.com ("), "\(who)")

      let out = try await home.gate("sign-out")
      #expect(out.succeeded, "\(out)")
      let signedOut = try await home.gate("whoami")
      #expect(signedOut.status == 3 && signedOut.errors.contains("[nullUser]"), "\(signedOut)")

      // Without the newline that `--password-stdin` strips, it is the same password.
      let again = try await home.gate("sign-in", "eve@example.com", "--password-stdin", input: "long enough")
      #expect(again.succeeded, "\(again)")
      #expect(try await home.gate("whoami").output == who.output)
    }
  }

  @Test func `the home is for its owner only`() async throws {
    try await GateHome.withAda { home in
      let names = try home.names()
      #expect(names == ["provider", "session.json", "session.json.lock"])
      #expect(try home.mode(of: home.path) == 0o700)
      #expect(try home.mode(of: home.session) == 0o600)
      #expect(try home.mode(of: home.path + "/provider") == 0o700)
      #expect(try home.mode(of: home.path + "/provider/accounts.sqlite") == 0o600)
    }
  }

  @Test func `a sign-up goes on where an interrupted one has begun a provider`() async throws {
    try await GateHome.withNone { home in
      _ = try await home.shell(
        "umask 077; mkdir -p \"$home/provider\"; cd \"$home/provider\"; touch accounts.sqlite opening.lock")
      let outcome = try await home.gate(
        "sign-up", GateHome.email, "--password-stdin", input: GateHome.password + "\n")
      #expect(outcome.succeeded && outcome.output.contains("made an account"), "\(outcome)")
    }
  }

  @Test func `a password comes from a file as well`() async throws {
    try await GateHome.withAda { home in
      let file = home.folder + "/password"
      try Data((GateHome.password + "\n").utf8).write(to: URL(filePath: file))
      let outcome = try await home.gate("sign-in", GateHome.email, "--password-file", file, "--json")
      #expect(outcome.succeeded && outcome.output.contains(#""email":"ada@example.com""#), "\(outcome)")
    }
  }

  @Test func `a program reads who is signed in`() async throws {
    struct Answer: Decodable {
      let uid: String
      let email: String
      let emailVerified: Bool
      let providers: [String]
    }
    try await GateHome.withAda { home in
      let outcome = try await home.gate("whoami", "--json")
      let answer = try JSONDecoder().decode(Answer.self, from: Data(outcome.output.utf8))
      #expect(answer.email == GateHome.email && !answer.emailVerified && answer.providers == ["password"])
      #expect(!answer.uid.isEmpty)
      #expect(try await home.gate("sign-out", "--json").output == "{\"signedOut\":true}\n")
      #expect(try await home.gate("sign-out", "--json").output == "{\"signedOut\":false}\n")
    }
  }

  @Test(arguments: [
    "gate --home \"$home\" whoami",
    "gate whoami --home \"$home\"",
    "GATEHOUSE_HOME=\"$home\" gate whoami",
    "ln -s \"$home\" gatehouse; mkdir state; mv \"$home\" state/gatehouse; XDG_STATE_HOME=$PWD/state gate whoami",
    "mkdir -p .local/state; mv \"$home\" .local/state/gatehouse; HOME=$PWD XDG_STATE_HOME= gate whoami",
  ])
  func `a home is named by an option, by a variable, or is the user's own`(line: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(line)
      #expect(outcome.succeeded && outcome.output.hasPrefix(GateHome.email), "\(outcome)")
    }
  }

  @Test(arguments: [["whoami"], ["token"], ["token", "--watch"], ["verify", "x.y.z"], ["jwks"]])
  func `a command that only reads makes no home and says what is missing`(arguments: [String]) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(arguments, input: [])
      let needsUser = ["whoami", "token"].contains(arguments[0])
      #expect(outcome.status == (needsUser ? 3 : 1) && outcome.output == "", "\(outcome)")
      let missing = ["no user is signed in: there is no folder \(home.path); ", "gate sign-up EMAIL makes one"]
      #expect(missing.contains { outcome.errors.contains($0) }, "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: home.path))
    }
  }
}
