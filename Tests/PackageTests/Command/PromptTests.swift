import Testing

/// The password prompt, on a terminal that Python makes.
@Suite(.enabled("python3 is not installed") { await Terminal.isThere })
struct PromptTests {
  @Test func `a password is asked for and not shown`() async throws {
    try await GateHome.withAda { home in
      let right = try await Terminal.run(home, ["sign-in", GateHome.email], typing: [GateHome.password])
      #expect(right.status == 0 && right.output.contains("signed in"), "\(right)")
      #expect(!right.output.contains(GateHome.password))
      let wrong = try await Terminal.run(home, ["sign-in", GateHome.email], typing: ["wrong horse"])
      #expect(wrong.status == 1 && wrong.output.contains("[wrongPassword]"), "\(wrong)")
    }
  }

  @Test func `a new password is asked for twice`() async throws {
    try await GateHome.withAda { home in
      let arguments = ["sign-up", "eve@example.com"]
      let differ = try await Terminal.run(home, arguments, typing: ["long enough", "long enuogh"])
      #expect(differ.status == 1 && differ.output.contains("the two passwords differ"), "\(differ)")
      let same = try await Terminal.run(home, arguments, typing: ["long enough", "long enough"])
      #expect(same.status == 0, "\(same)")
    }
  }
}
