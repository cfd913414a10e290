import Foundation
import Testing

/// What signing out leaves on the disk, and what signing up leaves when the disk refuses.
struct SignOutTests {
  private static func sign(in home: GateHome) async throws {
    let outcome = try await home.gate("sign-in", GateHome.email, "--password-stdin", input: GateHome.password)
    #expect(outcome.succeeded, "\(outcome)")
  }

  @Test(arguments: ["", "{\"format\":1,\"session\":{", "\0\0\0", "[]"])
  func `a damaged session is signed out of`(damaged: String) async throws {
    try await GateHome.withAda { home in
      try Data(damaged.utf8).write(to: URL(filePath: home.session))
      let outcome = try await home.gate("sign-out")
      #expect(outcome.succeeded && outcome.output.contains("erased 1 damaged file"), "\(outcome)")
      #expect(try home.names() == ["provider", "session.json.lock"])
      try await Self.sign(in: home)
      #expect(try await home.gate("sign-out", "--json").output == "{\"signedOut\":true}\n")
    }
  }

  @Test func `signing out erases damaged sessions that were kept aside`() async throws {
    try await GateHome.withAda { home in
      try Data("half".utf8).write(to: URL(filePath: home.session))
      try await Self.sign(in: home)
      #expect(try home.names().contains("session.json.damaged-1"))
      #expect(try await home.gate("sign-out").succeeded)
      #expect(try home.names() == ["provider", "session.json.lock"])

      // Also when no user is signed in any more.
      try Data("half".utf8).write(to: URL(filePath: home.session + ".damaged-7"))
      let outcome = try await home.gate("sign-out", "--json")
      #expect(outcome.output == "{\"signedOut\":false,\"damagedErased\":1}\n", "\(outcome)")
      #expect(try home.names() == ["provider", "session.json.lock"])
    }
  }

  @Test func `a damaged session that cannot be erased is not signed out of`() async throws {
    try await GateHome.withAda { home in
      let blocked = try await home.shell(
        "cd \"$home\"; printf half > session.json; rm session.json.lock; mkdir session.json.lock")
      #expect(blocked.succeeded)
      let outcome = try await home.gate("sign-out")
      #expect(outcome.status == 1 && outcome.output == "" && outcome.errors.contains("[storeFailed]"), "\(outcome)")
      #expect(try Data(contentsOf: URL(filePath: home.session)) == Data("half".utf8))
    }
  }

  /// As on a disk that is full when the session is to be stored: the provider has made the account by then.
  @Test func `a sign-up whose session cannot be stored says that the account was made`() async throws {
    try await GateHome.withAda { home in
      let blocked = try await home.shell("rm \"$home/session.json.lock\"; mkdir \"$home/session.json.lock\"")
      #expect(blocked.succeeded)
      let outcome = try await home.gate("sign-up", "eve@example.com", "--password-stdin", input: "long enough")
      #expect(outcome.status == 1 && outcome.errors.contains("[storeFailed]"), "\(outcome)")
      #expect(outcome.errors.contains("the account eve@example.com was made"), "\(outcome)")
      #expect(outcome.errors.contains("gate sign-in eve@example.com"), "\(outcome)")
      let mended = try await home.shell("rmdir \"$home/session.json.lock\"")
      #expect(mended.succeeded)
      let signIn = try await home.gate("sign-in", "eve@example.com", "--password-stdin", input: "long enough")
      #expect(signIn.succeeded, "\(signIn)")
    }
  }

  @Test func `after too many wrong passwords the error says how long to wait`() async throws {
    try await GateHome.withAda { home in
      var last: ChildProcess.Outcome?
      for _ in 1...11 {
        last = try await home.gate("sign-in", GateHome.email, "--password-stdin", input: "wrong horse")
      }
      let outcome = try #require(last)
      #expect(outcome.status == 1 && outcome.errors.contains("[tooManyRequests]"), "\(outcome)")
      #expect(outcome.errors.firstMatch(of: /try again in (\d+) s/) != nil, "\(outcome)")
    }
  }
}
