import GatehouseBase
package import GatehouseQueues

/// The state of one `Auth`, and everything that changes it. Isolated to the work queue.
///
/// The public calls are wrappers over its `…Internal` methods. The engine cannot call them back: it lives in a module
/// that cannot import theirs.
@WorkQueue
package final class AuthEngine {
  package internal(set) var state: EngineState = .restoring
  /// Counts sign-ins and sign-outs: a sign-in in flight is over when another has begun.
  var epoch: UInt64 = 0
  /// The public calls in flight, so that `close()` can end them.
  var calls: [Int: @WorkQueue (AuthError) -> Void] = [:]
  var nextCall = 0

  let store: SessionStore
  let listeners = ListenerHub()
  var restoring: Promise<Void>?
  /// No new call begins.
  var isClosing = false
  /// An erasure that failed.
  var unerased: StoreCondition?
  var autoRefresh: Alarms.Handle?
  var refreshesAutomatically: Bool

  package nonisolated let timeouts: Timeouts
  package nonisolated let callbacks: CallbackQueue
  /// Where the streams' events go: resuming a reader may run its executor, and that is not ours.
  package nonisolated let streams = CallbackQueue.ofBackground()
  /// Taken, and released on the callback queue, when the engine goes.
  package nonisolated let surroundings: TakeOnce<Surroundings>

  package nonisolated init(
    _ surroundings: TakeOnce<Surroundings>, callbacks: CallbackQueue, timeouts: Timeouts,
    refreshesAutomatically: Bool
  ) {
    self.surroundings = surroundings
    self.callbacks = callbacks
    self.timeouts = timeouts
    self.refreshesAutomatically = refreshesAutomatically
    store = SessionStore(surroundings)
    CallInPlace.use { surroundings.current?.logger }
    WorkQueue.start("restore") { await self.restore() }
  }

  deinit {
    autoRefresh?.cancel()
    callbacks.release(surroundings)
  }

  /// What the app handed in, while the engine lives.
  func outside() throws(AuthError) -> Surroundings {
    guard let surroundings = surroundings.current else { throw .closed }
    return surroundings
  }

  func checkOpen() throws(AuthError) {
    if isClosing { throw .closed }
  }
}

extension AuthError {
  static var closed: AuthError { AuthError(.closed, "this Auth was closed; make a new one") }
}

// MARK: - Calls

extension AuthEngine {
  /// Runs a public call: it ends with its result, or its timeout, or when its caller is cancelled, or with `close()`,
  /// whichever is first. In the last three cases the operation's task is cancelled: an operation that must not be
  /// lost checks nothing, one that must not come late asks `Task.isCancelled` before it changes the state.
  func perform<Value: Sendable>(
    _ name: StaticString, timeout: Duration?,
    _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try checkOpen()
    let promise = Promise<Value>()
    let task = Task.immediate { @WorkQueue in promise.resolve(await outcome(of: operation)) }
    if promise.isResolved { return try await promise.value() }

    let id = nextCall
    nextCall += 1
    let end: @WorkQueue @Sendable (AuthError) -> Void = { error in
      guard !promise.isResolved else { return }
      promise.resolve(.failure(error))
      task.cancel()
    }
    calls[id] = end
    let seconds = timeout?.inSeconds ?? timeouts.call
    let alarm = try alarm(after: seconds) { end(.deadlineExceeded("\(name)", after: seconds)) }
    promise.whenAbandoned { end(.cancelled) }
    defer {
      calls[id] = nil
      alarm.cancel()
    }
    return try await promise.value()
  }

  /// Waits for something shared: a timeout or a cancellation ends the wait and leaves what was waited for alone.
  func wait<Value: Sendable>(
    for promise: Promise<Value>, _ name: StaticString, timeout seconds: Double?
  ) async throws(AuthError) -> Value {
    guard let seconds, !promise.isResolved else { return try await promise.value() }
    let mine = Promise<Value>()
    let alarm = try alarm(after: seconds) { mine.resolve(.failure(.deadlineExceeded("\(name)", after: seconds))) }
    defer { alarm.cancel() }
    let task = Task.immediate { @WorkQueue in
      mine.resolve(await outcome { () throws(AuthError) in try await promise.value() })
    }
    defer { task.cancel() }
    return try await mine.value()
  }

  private func alarm(
    after seconds: Double, _ body: @escaping @WorkQueue @Sendable () -> Void
  ) throws(AuthError) -> Alarms.Handle {
    Alarms.after(seconds, on: try outside().clocks, body)
  }

  func log(_ level: EngineLog.Level, _ message: String) {
    guard let logger = surroundings.current?.logger else { return }
    EngineLog.write(level, to: logger, message)
  }
}
