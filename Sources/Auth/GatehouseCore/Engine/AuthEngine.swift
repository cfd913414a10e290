import GatehouseBase
package import GatehouseQueues
import IdentityToolkit

/// The state of one `Auth`, and everything that changes it. Isolated to the work queue.
///
/// The public calls are wrappers over its `…Internal` methods. The engine cannot call them back: it lives in a module
/// that cannot import theirs.
@WorkQueue
package final class AuthEngine {
  package internal(set) var state: EngineState = .restoring
  /// Counts sign-ins and sign-outs: a sign-in in flight is over when another has begun.
  var epoch: UInt64 = 0
  /// The anonymous sign-in in flight, which those who come meanwhile join.
  var anonymous: SignInAttempt?
  /// The public calls in flight, so that `close()` can end them.
  var calls: [Int: @WorkQueue (AuthError) -> Void] = [:]
  private var nextCall = 0

  let store: SessionStore
  let listeners = ListenerHub()
  /// Comes when the stored session has been read.
  var restoring: Promise<Void, AuthError>?
  /// Begun by the first `close()`; every other one waits for it too.
  var closing: Promise<Void, AuthError>?
  var autoRefresh: Alarms.Handle?
  var refreshesAutomatically: Bool

  package nonisolated let timeouts: Timeouts
  package nonisolated let callbacks: CallbackQueue
  /// Where the streams' events go: resuming a reader may run its executor, and that is not ours.
  package nonisolated let streams = CallbackQueue.ofBackground()
  /// Time, by the app's clocks.
  nonisolated let time: Timekeeper
  /// What the backend may hold of the pool's threads. The store has a fourth one of its own, so that calls that block
  /// in the backend do not hold up a sign-out's erasure.
  nonisolated let backendThreads = PoolShare(width: 3)
  /// Taken, and released on the callback queue, when the engine goes.
  nonisolated let surroundings: TakeOnce<Surroundings>

  /// - Parameter rotates: whether the backend rotates refresh tokens, so that this `Auth` must have the store for
  ///   itself.
  package nonisolated init(
    _ surroundings: TakeOnce<Surroundings>, callbacks: CallbackQueue, timeouts: Timeouts,
    refreshesAutomatically: Bool, rotates: Bool
  ) {
    self.surroundings = surroundings
    self.callbacks = callbacks
    self.timeouts = timeouts
    self.refreshesAutomatically = refreshesAutomatically
    time = Timekeeper { surroundings.current?.clocks }
    store = SessionStore(surroundings, needsLock: rotates)
    CallInPlace.use { surroundings.current?.logger }
    WorkQueue.start("restore") { self.restore() }
  }

  deinit {
    autoRefresh?.cancel()
    callbacks.release(surroundings)
  }

  /// What the app handed in: there while the engine lives.
  package nonisolated var outside: Surroundings {
    guard let surroundings = surroundings.current else { preconditionFailure("emptied only when the engine goes") }
    return surroundings
  }

  /// No new call begins.
  var isClosing: Bool { closing != nil }

  func checkOpen() throws(AuthError) {
    if isClosing { throw .closed }
  }

  func log(_ level: EngineLog.Level, _ message: String) { EngineLog.write(level, to: outside.logger, message) }
}

extension AuthError {
  static var closed: AuthError { AuthError(.closed, "this Auth was closed; make a new one") }
}

// MARK: - Calls

extension AuthEngine {
  /// Waits for the result of a public call: it ends with its result, or its timeout, or when its caller is cancelled,
  /// or with `close()`, whichever is first. In the last three cases `onEnd` runs at once.
  func wait<Value: Sendable>(
    forCall promise: Promise<Value, AuthError>, _ name: StaticString, timeout: Duration?,
    onEnd: @escaping @WorkQueue @Sendable () -> Void
  ) async throws(AuthError) -> Value {
    if promise.isResolved { return try await promise.value() }
    let id = nextCall
    nextCall += 1
    let end: @WorkQueue @Sendable (AuthError) -> Void = { error in
      guard !promise.isResolved else { return }
      promise.resolve(.failure(error))
      onEnd()
    }
    calls[id] = end
    let seconds = timeout?.inSeconds ?? timeouts.call
    let alarm = time.after(seconds) { end(.deadlineExceeded("\(name)", after: seconds)) }
    promise.whenAbandoned { end(.cancelled) }
    defer {
      calls[id] = nil
      alarm.cancel()
    }
    return try await promise.value()
  }

  /// Waits for something shared: a timeout or a cancellation ends the wait and leaves what was waited for alone.
  func wait<Value: Sendable>(
    for promise: Promise<Value, AuthError>, _ name: StaticString, timeout seconds: Double?
  ) async throws(AuthError) -> Value {
    guard let seconds, !promise.isResolved else { return try await promise.value() }
    let mine = Promise<Value, AuthError>()
    let alarm = time.after(seconds) {
      mine.resolve(.failure(.deadlineExceeded("\(name)", after: seconds)))
    }
    let task = WorkQueue.begin { mine.resolve(await outcome { () throws(AuthError) in try await promise.value() }) }
    defer {
      alarm.cancel()
      task.cancel()
    }
    return try await mine.value()
  }

  /// Asks the backend, off the work queue, and reads the clocks when the answer is there.
  func ask<C: Call>(_ call: C) async throws(AuthError) -> (response: C.Response, received: ClockReading) {
    try await Background.run(on: backendThreads) { [surroundings] () throws(AuthError) in
      guard let outside = surroundings.current else { throw .closed }
      let response = try await outside.backend.answer(call)
      return (response, outside.clocks.now())
    }
  }

  /// Runs quick code of the app's off the work queue: a look at the clocks, a random number.
  func readOutside<Value: Sendable>(
    _ body: @escaping @Sendable (Surroundings) -> Value
  ) async throws(AuthError) -> Value {
    try await time.run { [surroundings] () throws(AuthError) in
      guard let outside = surroundings.current else { throw .closed }
      return body(outside)
    }
  }

  /// What the clocks show, read off the work queue.
  func readClocks() async throws(AuthError) -> ClockReading { try await readOutside { $0.clocks.now() } }
}
