import Dispatch
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import HangGuard
import Testing

/// Rule 3: an executor of the app's is the app's code, and never runs on the work queue.
struct ForeignExecutorTests {
  @Test(.endsIfItHangs)
  func `an executor of the app's never runs on the work queue, and its closures come in order`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let owner = Owner()
    await owner.begin(user, scene.auth, calls: 1_000)
    await owner.wait(for: 1_000)
    #expect(await owner.numbers == Array(0..<1_000))
    try scene.auth.signOut()
    #expect(await comes { await owner.heard.count == 2 })
    #expect(await owner.heard == [user.uid, nil])
    #expect(owner.executor.onWorkQueue == 0)
    #expect(owner.executor.jobs > 1_000)
  }

  /// The executor waits for a lock of the app's, and the thread with that lock asks for the user.
  @Test func `an executor that takes a lock of the app's stops nothing`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let (scene, user) = try await Scene.signedIn()
      let owner = Owner()
      scene.backend.hold(.refresh)
      await owner.refresh(user, calls: 1)
      await scene.backend.waitForCall(.refresh)
      owner.executor.meet {
        scene.backend.release(.refresh)
      } inLock: {
        precondition(scene.auth.currentUser == user)
      }
      await owner.wait(for: 1)
    }
  }

  @Test func `a dead executor of the app's holds up its own closures only`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let (scene, user) = try await Scene.signedIn()
      let (dead, live) = (Owner(), Owner())
      scene.backend.hold(.refresh)
      await dead.refresh(user, calls: 200)
      await live.refresh(user, calls: 1)
      await scene.backend.waitForCall(.refresh)
      dead.executor.die { scene.backend.release(.refresh) }
      await live.wait(for: 1)
      let (_, other) = try await Scene.signedIn()
      _ = try await other.getIDToken(forcingRefresh: true)
      try scene.auth.signOut()
      try await scene.auth.close()
    }
  }
}

/// An executor that notes where it is called, and can wait there.
private final class NotingExecutor: SerialExecutor {
  private struct State: Sendable {
    var jobs = 0
    var onWorkQueue = 0
    /// Runs before each job is enqueued.
    var before: @Sendable () -> Void = {}
  }

  private let queue = DispatchQueue(label: "test.executor")
  private let state = Lock(State())

  var jobs: Int { state.withLock { $0.jobs } }
  var onWorkQueue: Int { state.withLock { $0.onWorkQueue } }

  func note() {
    let isOnWorkQueue = WorkQueue.executor.isCurrent
    state.withLock { state in
      state.jobs += 1
      if isOnWorkQueue { state.onWorkQueue += 1 }
    }
  }

  /// Makes the next job wait for a lock, and runs a block in that lock when it does.
  func meet(_ cause: () -> Void, inLock body: () -> Void) {
    let lock = Lock(())
    let isWaiting = DispatchSemaphore(value: 0)
    lock.withLock { _ in
      state.withLock {
        $0.before = {
          isWaiting.signal()
          lock.withLock { _ in }
        }
      }
      cause()
      isWaiting.wait()
      body()
    }
  }

  /// Makes each later job wait for ever, and returns when the first one does.
  func die(_ cause: () -> Void) {
    let isWaiting = DispatchSemaphore(value: 0)
    state.withLock {
      $0.before = {
        isWaiting.signal()
        DispatchSemaphore(value: 0).wait()
      }
    }
    cause()
    isWaiting.wait()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    note()
    state.withLock { $0.before }()
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// An actor with an executor of its own.
private actor Owner {
  nonisolated let executor = NotingExecutor()
  private(set) var numbers: [Int] = []
  private(set) var heard: [String?] = []
  private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.note()  // this is the app's code, too
    return unsafe executor.asUnownedSerialExecutor()
  }

  func begin(_ user: User, _ auth: Auth, calls: Int) {
    auth.addStateDidChangeListener { _, user in self.heard.append(user?.uid) }
    for number in 0..<calls { user.getIDToken { _ in self.add(number) } }
  }

  func refresh(_ user: User, calls: Int) {
    for number in 0..<calls { user.getIDToken(forcingRefresh: true) { _ in self.add(number) } }
  }

  func add(_ number: Int) {
    numbers.append(number)
    guard let waiter, numbers.count >= waiter.count else { return }
    self.waiter = nil
    waiter.continuation.resume()
  }

  func wait(for count: Int) async {
    if numbers.count >= count { return }
    await withCheckedContinuation { waiter = (count, $0) }
  }
}
