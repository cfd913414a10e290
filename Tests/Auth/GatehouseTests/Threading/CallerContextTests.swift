import Dispatch
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Testing

/// Rule 3 for the `async` forms, from every kind of caller: they answer, and resume their caller where it was.
///
/// Each in a process of its own, which `alarm` ends when a call hangs.
struct CallerContextTests {
  @Test func `every call answers under a task executor preference`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let executor = QueueTaskExecutor()
      for _ in 0..<5 {
        let strayed = try await withTaskExecutorPreference(executor) {
          try await EveryAsyncCall.run { executor.isCurrent }
        }
        #expect(strayed == [])
      }
    }
  }

  @Test func `every call answers an actor with an executor of its own, and stays there`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      for _ in 0..<5 {
        let strayed = try await OwnExecutorActor().callEverything()
        #expect(strayed == [])
      }
    }
  }

  @Test func `every call answers an actor with an executor of its own under a preference`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      for _ in 0..<5 {
        let strayed = try await withTaskExecutorPreference(QueueTaskExecutor()) {
          try await OwnExecutorActor().callEverything()
        }
        #expect(strayed == [])
      }
    }
  }

  @Test func `every call answers the main actor, and stays there`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let main = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: main, value: true)
      let strayed = try await Task { @MainActor in
        try await EveryAsyncCall.run { DispatchQueue.getSpecific(key: main) ?? false }
      }.value
      #expect(strayed == [], "\(strayed)")
    }
  }

  @Test func `every call answers a task of no isolation, off the work queue`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let strayed = try await Task.detached { try await EveryAsyncCall.run { !WorkQueue.executor.isCurrent } }.value
      #expect(strayed == [])
    }
  }

  /// Under a preference the runtime leaves the work queue at each `await` on it. `hops` counts the turns after which
  /// the result comes, so that one of them lies between the waiter's last look and its registration.
  @Test(arguments: 0..<16)
  func `a result that comes while its waiter is on the way is not missed`(hops: Int) async {
    await #expect(processExitsWith: .success) { [hops] in
      endIfItHangs()
      let promise = await Promise<Int, AuthError>()
      WorkQueue.executor.queue.suspend()
      let waiter = Task.detached(executorPreference: QueueTaskExecutor()) { try await promise.value() }
      resolve(promise, after: hops)
      WorkQueue.executor.queue.resume()
      let value = try await waiter.value
      #expect(value == 1)
    }
  }

  /// The same for a cancellation: its handler may have run before the waiter was registered.
  @Test(arguments: 0..<16)
  func `a waiter that is cancelled while it is on the way is released`(hops: Int) async {
    await #expect(processExitsWith: .success) { [hops] in
      endIfItHangs()
      let promise = await Promise<Int, AuthError>()
      WorkQueue.executor.queue.suspend()
      let waiter = Task.detached(executorPreference: QueueTaskExecutor()) { try await promise.value() }
      cancel(waiter, after: hops)
      WorkQueue.executor.queue.resume()
      let error = await #expect(throws: AuthError.self) { try await waiter.value }
      #expect(error?.code == .cancelled)
    }
  }

  // MARK: Order

  @Test func `calls of the main actor begin in the order in which they are made`() async throws {
    let backend = OrderedBackend()
    let auth = Auth(Auth.Configuration(backend: backend, clocks: ManualClocks()))
    let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    let count = 300
    let calls = await MainActor.run {
      (0..<count).map { number in
        let request = user.createProfileChangeRequest()
        request.displayName = "\(number)"
        // Both forms, in turn.
        guard number.isMultiple(of: 2) else {
          return Task.immediate { () async throws in try await request.commitChanges() }
        }
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        request.commitChanges { @Sendable _ in end.finish() }
        return Task.immediate { () async throws in for await _ in ended {} }
      }
    }
    for call in calls { try await call.value }
    #expect(backend.names == (0..<count).map { "\($0)" })
  }

  @Test func `a sign-out after an async sign-in supersedes it, every time`() async throws {
    for _ in 0..<100 {
      let (scene, _) = try await Scene.signedIn()
      let auth = scene.auth
      scene.backend.hold(.signIn)
      let signIn = try await MainActor.run {
        let call = Task.immediate { @MainActor () async throws in
          _ = try await auth.signIn(withEmail: Scene.email, password: Scene.password)
        }
        try auth.signOut()
        return call
      }
      scene.backend.release(.signIn)
      let error = await #expect(throws: AuthError.self) { try await signIn.value }
      #expect(error?.code == .superseded)
      #expect(auth.currentUser == nil)
    }
  }
}

/// Resolves a promise when some turns of the work queue have passed.
private func resolve(_ promise: Promise<Int, AuthError>, after hops: Int) {
  WorkQueue.async {
    if hops == 0 { promise.resolve(.success(1)) } else { resolve(promise, after: hops - 1) }
  }
}

/// Cancels a task when some turns of the work queue have passed.
private func cancel(_ task: Task<Int, any Error>, after hops: Int) {
  WorkQueue.async {
    if hops == 0 { task.cancel() } else { cancel(task, after: hops - 1) }
  }
}

/// Prefers a dispatch queue for the tasks that name it.
private final class QueueTaskExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "test.preferred")
  private static let key = DispatchSpecificKey<Bool>()

  init() { queue.setSpecific(key: Self.key, value: true) }

  var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) ?? false }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // `unsafe`: the runtime hands over the job to be run once, and this is where it is.
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// An actor on a dispatch queue of its own.
private actor OwnExecutorActor {
  private let executor = SerialQueueExecutor(label: "test.actor")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  func callEverything() async throws -> [String] { try await EveryAsyncCall.run { [executor] in executor.isCurrent } }
}

/// Keeps the names that it was given, in order.
private final class OrderedBackend: Backend {
  private let scripted = ScriptedBackend()
  private let given = Lock<[String]>([])

  var names: [String] { given.withLock { $0 } }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    if let name = (call as? Update)?.displayName { given.withLock { $0.append(name) } }
    return try await scripted.answer(call)
  }
}
