import Dispatch
import Foundation
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import Glibc
import HangGuard
import IdentityToolkit
import Synchronization
import TestSupport
import Testing

/// Rule 10: code that blocks its thread, in a backend or elsewhere in the app, delays no deadline and no other `Auth`.
///
/// Each in a process of its own: threads stay blocked there until it ends.
struct BlockedThreadsTests {
  @Test func `a backend that blocks its threads meets its deadlines, and delays no other Auth`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let clocks = ManualClocks()
      let blocking = BlockingBackend()
      let stuck = Auth(Auth.Configuration(backend: blocking, clocks: clocks))
      // More calls than the backend has threads: the last ones get theirs when the first ones are given up.
      let calls = (0..<6).map { number in
        Delivery { stuck.signIn(withEmail: "\(number)", password: "x", timeout: .seconds(1 + number), completion: $0) }
      }
      await clocks.waitForSleepers(6)  // each deadline counts from the same moment
      for second in 1...6 {
        if second <= 3 { await blocking.waitForCalls(3) }
        clocks.advance(by: 1)
        let result = await calls[second - 1].result
        guard case .failure(let error) = result, error.code == .deadlineExceeded else {
          Issue.record("call \(second): \(result)")
          return
        }
      }
      let user = try await Scene(clocks: clocks).auth.createUser(withEmail: Scene.email, password: "x").user
      let token = try await user.getIDToken(forcingRefresh: true)
      #expect(!token.isEmpty)
    }
  }

  @Test func `calls that follow stuck ones reach the backend, up to the stated limit`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let backend = BlockingBackend()
      let share = PoolShare(width: 3, maximumStuck: 2)
      let calls = (0..<6).map { _ in Background.start(on: share) { backend.block() } }
      await backend.waitForCalls(3)
      #expect(share.threads == (3, 0))
      calls[0].cancel()
      calls[1].cancel()
      await backend.waitForCalls(5)
      #expect(share.threads == (3, 2))
      calls[2].cancel()  // one more than may be stuck
      #expect(share.threads == (3, 2))
      backend.release(6)
      await backend.waitForCalls(6)
      while share.threads != (0, 0) { await Task.yield() }
    }
  }

  /// As a backend does whose transport must not be interrupted.
  @Test func `work that a blocked backend starts takes the threads of its own Auth`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let (_, user) = try await Scene.signedIn()
      let blocking = BlockingBackend()
      let stuck = Auth(Auth.Configuration(backend: StartingBackend(blocking: blocking), clocks: ManualClocks()))
      for number in 0..<20 { stuck.signIn(withEmail: "\(number)", password: "x") { _ in } }
      await blocking.waitForCalls(3)
      _ = await Delivery { user.getIDTokenResult(completion: $0) }.result
      try stuck.signOut()
    }
  }

  @Test func `a blocked store does not hold up the backend, nor a blocked backend the store`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let backend = BlockingBackend()
      let scripted = ScriptedBackend()
      let store = BlockingStore()
      let clocks = ManualClocks()
      var configuration = Auth.Configuration(
        backend: SwitchedBackend(scripted, backend), store: store, clocks: clocks)
      configuration.timeouts.store = .seconds(7)
      let auth = Auth(configuration)
      let user = try await auth.createUser(withEmail: Scene.email, password: "x").user
      clocks.advance(by: 1)  // so that no deadline of the sign-in is taken for one of the refresh
      store.blocks.store(true, ordering: .relaxed)
      for _ in 1...2 {
        let refresh = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
        // So long does a refresh wait for the store. The first one finds the store free, and may be answered before
        // anything here sees it wait; the second one is behind the blocked write.
        let turns = Task {
          while true {
            await clocks.waitForSleeper(of: .seconds(7))
            guard !Task.isCancelled else { return }
            clocks.advance(by: 7)
          }
        }
        _ = try await refresh.value
        turns.cancel()
      }
      store.blocks.store(false, ordering: .relaxed)
      store.gate.signal()
      try await auth.flush()
      backend.isOn.store(true, ordering: .relaxed)
      for _ in 0..<8 { auth.signIn(withEmail: "a", password: "b") { _ in } }
      await backend.waitForCalls(3)
      try auth.signOut()
      try await auth.flush()
      let stored = try await store.memory.load()
      #expect(stored == nil)
    }
  }
}

/// Blocks the thread of each call until it is released.
private final class BlockingBackend: Backend {
  private let semaphore = DispatchSemaphore(value: 0)
  private let calls = Lock(0)
  let isOn = Atomic<Bool>(true)

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    block()
    throw AuthError(.networkError, "released")
  }

  func block() {
    calls.withLock { $0 += 1 }
    semaphore.wait()
  }

  func release(_ count: Int) { for _ in 0..<count { semaphore.signal() } }

  func waitForCalls(_ count: Int) async { while calls.withLock({ $0 }) < count { await Task.yield() } }
}

/// Starts work that blocks, and waits for it.
private struct StartingBackend: Backend {
  let blocking: BlockingBackend

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    await withCheckedContinuation { caller in
      _ = Background.start {
        blocking.block()
        caller.resume()
      }
    }
    throw AuthError(.networkError, "released")
  }
}

/// Answers, or blocks, as it is told.
private struct SwitchedBackend: Backend {
  let scripted: ScriptedBackend
  let blocking: BlockingBackend

  init(_ scripted: ScriptedBackend, _ blocking: BlockingBackend) {
    self.scripted = scripted
    self.blocking = blocking
    blocking.isOn.store(false, ordering: .relaxed)
  }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    if blocking.isOn.load(ordering: .relaxed) { return try await blocking.answer(call) }
    return try await scripted.answer(call)
  }
}

/// Blocks the thread of a write while it is told to.
private final class BlockingStore: CredentialStore {
  let memory = MemoryCredentialStore()
  let blocks = Atomic<Bool>(false)
  let gate = DispatchSemaphore(value: 0)

  func load() async throws(AuthError) -> StoredSession? { try await memory.load() }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    block()
    return try await memory.write(session, if: condition)
  }

  private func block() { if blocks.load(ordering: .relaxed) { gate.wait() } }
}
