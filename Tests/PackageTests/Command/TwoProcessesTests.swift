import Foundation
import GatehouseJOSE
import Testing

/// Two runs of the command at once in one home.
struct TwoProcessesTests {
  @Test func `two that start a new home at once end with one key set`() async throws {
    try await GateHome.withNone { home in
      let sign = { (email: String) in
        Task { try await home.gate("sign-up", email, "--password-stdin", input: "long enough") }
      }
      let (one, other) = (sign("one@example.com"), sign("other@example.com"))
      let outcomes = [try await one.value, try await other.value]
      for outcome in outcomes { #expect(outcome.succeeded, "\(outcome)") }

      let keys = try JWKSet(parsing: try await home.gate("jwks").output.dropLast().utf8)
      #expect(keys.keys.count == 1)
      #expect(try home.names(in: "provider/keys").count == 1)
      // Both accounts are there, and both have tokens that this key set verifies.
      for email in ["one@example.com", "other@example.com"] {
        let signedIn = try await home.gate("sign-in", email, "--password-stdin", input: "long enough")
        #expect(signedIn.succeeded, "\(signedIn)")
        let verified = try await home.shell("gate token | gate verify", environment: ["GATEHOUSE_HOME": home.path])
        #expect(verified.succeeded && verified.output.contains(email), "\(verified)")
      }
    }
  }

  @Test(arguments: 1...4)
  func `a sign-out and a refresh at once end signed out, or with a whole session`(_: Int) async throws {
    try await GateHome.withAda { home in
      let refresh = Task { try await home.gate("token", "--force-refresh") }
      let signOut = Task { try await home.gate("sign-out") }
      let (refreshed, signedOut) = (try await refresh.value, try await signOut.value)
      #expect([0, 3].contains(refreshed.status), "\(refreshed)")
      #expect(signedOut.succeeded, "\(signedOut)")

      let who = try await home.gate("whoami")
      if who.succeeded {
        let verified = try await home.shell("gate token | gate verify", environment: ["GATEHOUSE_HOME": home.path])
        #expect(verified.succeeded, "\(verified)")
      } else {
        #expect(who.errors.contains("[nullUser]"), "\(who)")
        #expect(!FileManager.default.fileExists(atPath: home.session))
      }
    }
  }
}
