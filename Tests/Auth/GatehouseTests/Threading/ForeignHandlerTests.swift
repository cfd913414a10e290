import Dispatch
import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

/// Rule 7 in its corners: what the app's code does when it is cancelled, and what the app's tasks carry.
struct ForeignHandlerTests {
  @Test func `cancellation handlers of a backend and of a clock never run on the work queue`() async throws {
    let places = Places()
    let configuration = Auth.Configuration(
      backend: HandlingBackend(places: places), clocks: HandlingClocks(places: places),
      timeouts: .patient)
    let auth = Auth(configuration)
    let signIn = Task { try await auth.signIn(withEmail: Scene.email, password: Scene.password) }
    await places.waitForBegin()
    signIn.cancel()
    await #expect(throws: AuthError.self) { try await signIn.value }
    await places.waitForHandlers(2)
    #expect(places.onWorkQueue == 0)
  }

  @Test func `a task-local object of the caller's is not released on the work queue`() async throws {
    let places = Places()
    for _ in 0..<50 {
      let (scene, user) = try await Scene.signedIn()
      scene.backend.hold(.refresh)
      let call = Task {
        try await Local.$object.withValue(Probe { places.note() }) { try await user.getIDToken(forcingRefresh: true) }
      }
      await scene.backend.waitForCall(.refresh)
      call.cancel()
      _ = await call.result
      scene.backend.release(.refresh)
    }
    await places.waitForHandlers(50)
    #expect(places.onWorkQueue == 0)
  }

  @Test func `a backend that waits for the refresh that it answers is told so`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let codes = Lock<[AuthError.Code]>([])
    scene.backend.onCall { kind in
      guard kind == .refresh else { return }
      let result = await outcome { () throws(AuthError) in
        try await typed { try await user.getIDToken(forcingRefresh: true) }
      }
      if case .failure(let error) = result { codes.withLock { $0.append(error.code) } }
    }
    scene.makeTokenDue()
    _ = try await user.getIDToken()
    #expect(codes.withLock { $0 } == [.wouldDeadlock])
    try await scene.auth.flush()
    try await user.reload()
    #expect(scene.backend.count(of: .refresh) == 1, "and no refresh goes on for whom nobody waits")
  }

  enum Local {
    @TaskLocal static var object: Probe?
  }
}

/// Counts what happened on the work queue.
private final class Places: Sendable {
  private struct State {
    var count = 0
    var onWorkQueue = 0
    var waiter: (Int, CheckedContinuation<Void, Never>)?
    var begun: Set<String> = []
    /// Whether a call is with the backend, and its alarm with the clocks: both must be there to be taken back.
    var hasBegun: Bool { begun == ["backend", "clocks"] }
    var beginWaiter: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  func note() {
    let isOnWorkQueue = WorkQueue.executor.isCurrent
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      state.count += 1
      if isOnWorkQueue { state.onWorkQueue += 1 }
      guard let (count, waiter) = state.waiter, state.count >= count else { return nil }
      state.waiter = nil
      return waiter
    }
    waiter?.resume()
  }

  func begin(_ what: String) {
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      state.begun.insert(what)
      guard state.hasBegun else { return nil }
      defer { state.beginWaiter = nil }
      return state.beginWaiter
    }
    waiter?.resume()
  }

  var onWorkQueue: Int { state.withLock { $0.onWorkQueue } }

  func waitForBegin() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if !state.hasBegun { state.beginWaiter = continuation }
        return state.hasBegun
      }
      if isThere { continuation.resume() }
    }
  }

  func waitForHandlers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.count < count { state.waiter = (count, continuation) }
        return state.count >= count
      }
      if isThere { continuation.resume() }
    }
  }
}

/// Never answers until it is cancelled, and has a handler for that.
private struct HandlingBackend: Backend {
  let places: Places

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    places.begin("backend")
    await waitForCancellation(places)
    throw AuthError(.networkError, "given up")
  }
}

private struct HandlingClocks: Clocks {
  let places: Places
  func now() -> ClockReading { SystemClocks().now() }
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    places.begin("clocks")
    return AlarmCancellation { places.note() }
  }
}

private func waitForCancellation(_ places: Places) async {
  let (stream, end) = AsyncStream.makeStream(of: Void.self)
  await withTaskCancellationHandler {
    for await _ in stream {}
  } onCancel: {
    places.note()
    end.finish()
  }
}
