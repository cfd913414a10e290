import Dispatch
import Foundation
import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import Glibc
import HangGuard
import TestSupport
import Testing

/// Rules 3 and 8: callbacks come on main unless the app says otherwise, and nothing else needs main.
struct MainQueueTests {
  @Test func `completions and listeners come on the main queue, on success, refusal and early validation`() async {
    let auth = Auth(Auth.Configuration(backend: ScriptedBackend(), clocks: ManualClocks()))
    let places = Lock<[Bool]>([])
    let main = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: main, value: true)
    let note: @Sendable () -> Void = { places.withLock { $0.append(DispatchQueue.getSpecific(key: main) ?? false) } }
    let all = Delivery<Void> { done in
      auth.addStateDidChangeListener { _, _ in note() }
      auth.signIn(withEmail: "nobody@example.com", password: "wrong") { _ in note() }
      auth.createUser(withEmail: Scene.email, password: Scene.password) { result in
        note()
        guard let user = try? result.get().user else { return done(.failure(AuthError(.internalError, "no user"))) }
        let request = user.createProfileChangeRequest()
        request.displayName = "Ada"
        request.commitChanges { _ in
          note()
          request.commitChanges { _ in
            note()
            user.getIDToken { _ in
              note()
              done(.success(()))
            }
          }
        }
      }
    }
    _ = await all.result
    let seen = places.withLock { $0 }
    #expect(seen.count >= 6 && seen.allSatisfy { $0 }, "\(seen)")
  }

  @Test func `with main blocked, async calls, streams and synchronous calls go on`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      endIfItHangs()
      let blocked = DispatchSemaphore(value: 0)
      Task { @MainActor in
        Thread.detachNewThread {
          Task.detached {
            let auth = Auth(Auth.Configuration(backend: ScriptedBackend(), timeouts: .patient))
            do {
              let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
              _ = try await user.getIDToken(forcingRefresh: true)
              var changes = auth.authStateChanges.makeAsyncIterator()
              guard await changes.next() == .some(user), auth.currentUser == user else { exit(1) }
              try await auth.close()
              exit(0)
            } catch {
              exit(2)
            }
          }
        }
        blocked.block()
      }
      await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
    }
  }

  @Test func `a synchronous call from main answers while callbacks for main stand in line`() async throws {
    let auth = Auth(Auth.Configuration(backend: ScriptedBackend(), clocks: ManualClocks()))
    let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    let answers = await MainActor.run {
      for _ in 0..<50 { user.getIDToken { _ in } }
      return (0..<50).map { _ in auth.currentUser == user }
    }
    #expect(answers.allSatisfy { $0 })
  }
}

extension DispatchSemaphore {
  /// Blocks this thread for good: for the test above.
  fileprivate func block() { wait() }
}
