import Foundation
import GatehouseBase
import Testing

/// `gate sessions` and `gate sign-out --everywhere`.
struct SessionsCommandTests {
  private static func sessions(_ home: GateHome) async throws -> [JSONObject] {
    let list = try await home.gate("sessions", "list", "--json")
    return try #require(try JSONObject(parsing: list.output.utf8)["sessions"]?.array, "\(list)").compactMap(\.object)
  }

  /// Signs Ada in again, beside the session that she has.
  private static func signIn(_ home: GateHome) async throws {
    let outcome = try await home.gate("sign-in", GateHome.email, "--password-stdin", input: GateHome.password)
    #expect(outcome.succeeded, "\(outcome)")
  }

  @Test func `sessions are listed, one is ended, and then all others`() async throws {
    try await GateHome.withAda { home in
      try await Self.signIn(home)
      try await Self.signIn(home)
      let all = try await Self.sessions(home)
      // Those that began in one second come in any order.
      let (current, others) = (all.filter { $0["current"] == true }, all.filter { $0["current"] == false })
      #expect(current.count == 1 && others.count == 2, "\(all)")
      #expect(all[0].names == ["id", "signInMethod", "began", "current"] && all[0]["signInMethod"] == "password")
      let (id, other) = (try #require(current.first?["id"]?.string), try #require(others.first?["id"]?.string))
      let text = try await home.gate("sessions", "list")
      let line = text.output.split(separator: "\n").first { $0.contains("\(id), password, ") }
      #expect(line?.hasSuffix(", this one") == true, "\(text)")

      let unknown = try await home.gate("sessions", "end", "x")
      #expect(unknown.status == 1 && unknown.errors.contains("no session is called x"), "\(unknown)")
      let ended = try await home.gate("sessions", "end", "--json", "--", other)
      #expect(ended.output == #"{"ended":["\#(other)"]}"# + "\n", "\(ended)")
      let rest = try await home.gate("sessions", "end", "--others")
      #expect(rest.output == "ended 1 session\n", "\(rest)")
      #expect(try await Self.sessions(home).map { $0["id"]?.string } == [id])
      #expect(try await home.gate("token", "--force-refresh").succeeded)
      let own = try await home.gate("sessions", "end", "--", id)
      #expect(own.output == "ended 1 session, and signed out\n", "\(own)")
      #expect(try await home.gate("whoami").status == 3)
    }
  }

  @Test func `a sign-out everywhere ends the sessions of other homes`() async throws {
    try await GateHome.withAda { home in
      _ = try await home.shell("cp \"$home/session.json\" kept")
      try await Self.signIn(home)
      let out = try await home.gate("sign-out", "--everywhere", "--json")
      #expect(out.output == #"{"signedOut":true,"everywhere":true}"# + "\n", "\(out)")
      #expect(try await home.gate("whoami").status == 3)
      let again = try await home.gate("sign-out", "--everywhere")
      #expect(again.status == 3 && again.errors.contains("[nullUser]"), "\(again)")
      _ = try await home.shell("cp kept \"$home/session.json\"")
      let token = try await home.gate("token", "--force-refresh")
      #expect(token.status == 3 && token.errors.contains("[userTokenExpired]"), "\(token)")
    }
  }
}
