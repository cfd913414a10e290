import Foundation
import Testing

/// `gate password` and `gate delete`: what a signed-in user changes for good.
struct AccountCommandTests {
  private static let new = "another horse battery"

  @Test func `a password is changed with the present one, and the session goes on`() async throws {
    try await GateHome.withAda { home in
      let wrong = try await home.gate("password", "--password-stdin", input: "wrong horse\n\(Self.new)\n")
      #expect(wrong.status == 1 && wrong.errors.contains("[wrongPassword]"), "\(wrong)")
      let weak = try await home.gate("password", "--password-stdin", input: "\(GateHome.password)\nx\n")
      #expect(weak.status == 1 && weak.errors.contains("[weakPassword]"), "\(weak)")
      let one = try await home.gate("password", "--password-stdin", input: "\(GateHome.password)")
      #expect(one.status == 1 && one.errors.contains("two lines"), "\(one)")

      let changed = try await home.gate("password", "--password-stdin", input: "\(GateHome.password)\n\(Self.new)\n")
      #expect(changed.succeeded && changed.output.contains("changed the password of ada@example.com"), "\(changed)")
      #expect(try await home.gate("token", "--force-refresh").succeeded)
      let old = try await home.gate("sign-in", GateHome.email, "--password-stdin", input: GateHome.password)
      #expect(old.status == 1 && old.errors.contains("[wrongPassword]"), "\(old)")
      #expect(try await home.gate("sign-in", GateHome.email, "--password-stdin", input: Self.new).succeeded)
    }
  }

  /// What a shell's here-document, an editor or another system adds to a line must not become a part of a password.
  @Test func `lines too many are refused, and either line end is taken`() async throws {
    try await GateHome.withAda { home in
      for extra in ["third\n", "\n", "\r\n"] {
        let input = "\(GateHome.password)\n\(Self.new)\n\(extra)"
        let outcome = try await home.gate("password", "--password-stdin", input: input)
        #expect(outcome.status == 1 && outcome.errors.contains("two lines, and no more"), "\(outcome)")
      }
      for input in ["long enough\n\n", "long enough\nthird"] {
        let outcome = try await home.gate("sign-up", "eve@example.com", "--password-stdin", input: input)
        #expect(outcome.status == 1 && outcome.errors.contains("more than one line"), "\(outcome)")
      }
      let windows = "\(GateHome.password)\r\n\(Self.new)\r\n"
      let changed = try await home.gate("password", "--password-stdin", input: windows)
      #expect(changed.succeeded, "\(changed)")
      #expect(try await home.gate("sign-in", GateHome.email, "--password-stdin", input: Self.new + "\r\n").succeeded)
    }
  }

  @Test func `both passwords come from files as well`() async throws {
    try await GateHome.withAda { home in
      try Data(GateHome.password.utf8).write(to: URL(filePath: home.folder + "/old"))
      try Data(Self.new.utf8).write(to: URL(filePath: home.folder + "/new"))
      let changed = try await home.gate(
        "password", "--password-file", home.folder + "/old", "--new-password-file", home.folder + "/new", "--json")
      #expect(changed.succeeded && changed.output.contains(#""email":"ada@example.com""#), "\(changed)")
      #expect(try await home.gate("sign-in", GateHome.email, "--password-stdin", input: Self.new).succeeded)
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `the prompts say whose passwords they ask for, and show none`() async throws {
    try await GateHome.withAda { home in
      let slip = try await Terminal.run(home, ["password"], typing: [GateHome.password, Self.new, "other"])
      #expect(slip.status == 1 && slip.output.contains("the two passwords differ"), "\(slip)")
      let wrong = try await Terminal.run(home, ["password"], typing: ["wrong horse", Self.new, Self.new])
      #expect(wrong.status == 1 && wrong.output.contains("[wrongPassword]"), "\(wrong)")
      #expect(!wrong.output.contains("New password"), "\(wrong)")
      let changed = try await Terminal.run(home, ["password"], typing: [GateHome.password, Self.new, Self.new])
      #expect(changed.status == 0 && changed.output.contains("Present password of ada@example.com: "), "\(changed)")
      #expect(!changed.output.contains("horse"))
      let deleted = try await Terminal.run(home, ["delete"], typing: [Self.new])
      #expect(deleted.status == 0, "\(deleted)")
      #expect(deleted.output.contains("Password of ada@example.com, to delete the account: "), "\(deleted)")
    }
  }

  @Test func `an account is deleted with its password only`() async throws {
    try await GateHome.withAda { home in
      let wrong = try await home.gate("delete", "--password-stdin", input: "wrong horse")
      #expect(wrong.status == 1 && wrong.errors.contains("[wrongPassword]"), "\(wrong)")
      #expect(try await home.gate("whoami").succeeded)
      let deleted = try await home.gate("delete", "--password-stdin", "--json", input: GateHome.password)
      #expect(deleted.succeeded && deleted.output.hasPrefix("{\"deleted\":true,\"uid\":\""), "\(deleted)")
      #expect(try await home.gate("whoami").errors.contains("[nullUser]"))
      let gone = try await home.gate("sign-in", GateHome.email, "--password-stdin", input: GateHome.password)
      #expect(!gone.succeeded && gone.errors.contains("[userNotFound]"), "\(gone)")
    }
  }

  @Test(arguments: ["password", "delete"])
  func `without a session they say who must sign in, and ask for nothing`(command: String) async throws {
    try await GateHome.withAda { home in
      #expect(try await home.gate("sign-out").succeeded)
      let outcome = try await home.gate(command, "--password-stdin", input: "a\nb\n")
      #expect(outcome.status == 3 && outcome.errors.contains("gate sign-in EMAIL"), "\(outcome)")
    }
    // Nor where no home is.
    try await GateHome.withNone { home in
      let outcome = try await home.gate(command, "--password-stdin", input: "a\nb\n")
      #expect(outcome.status == 3 && outcome.errors.contains("there is no folder \(home.path)"), "\(outcome)")
      #expect(outcome.errors.contains("[nullUser]") && (try? home.names()) == nil, "\(outcome)")
    }
  }
}
