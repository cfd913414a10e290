import Foundation
import Gatehouse
import GatehouseBase
import GatehouseLocal
import HangGuard
import TestSupport
import Testing

/// Rule 7, with everything real: the provider's hashes, keys and database, and sessions in files.
struct QuietQueueTests {
  @Test func `a crowd leaves the work queue quick`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      StrictMode.turnOn()  // slow work on the work queue stops this process
      let folder = TemporaryFolder()
      let provider = LocalBackend.cheap(folder.home, StandingClock()) { $0.signing = .rs256 }
      let users = try await withThrowingTaskGroup(of: User.self) { group in
        for number in 0..<24 {
          group.addTask {
            let auth = Auth(
              Auth.Configuration(
                backend: provider, store: .file("\(folder.home)/sessions/\(number)/session.json"), timeouts: .patient))
            return try await auth.createUser(withEmail: "user\(number)@example.com", password: "correct horse").user
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for user in users {
          for _ in 0..<20 { group.addTask { _ = try await user.getIDToken() } }
          group.addTask { _ = try await user.getIDToken(forcingRefresh: true) }
          group.addTask { try await user.reload() }
        }
        try await group.waitForAll()
      }
      let seen = Auth.diagnostics
      #expect(seen.slowWork == 0 && seen.callsInPlace == 0)
      #expect(seen.blocks > 24 * 22, "the queue was used")
    }
  }
}
