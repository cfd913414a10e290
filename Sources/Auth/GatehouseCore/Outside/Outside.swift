import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// The engine's way off the work queue: the app's backend, clocks, random source and log, and waits with timeouts.
///
/// Every part of the engine holds this one object, and so does every operation in flight. It releases what the app
/// handed in, on the callback queue, when the last of them has gone.
@WorkQueue
final class Outside {
  nonisolated let timeouts: Timeouts
  nonisolated let callbacks: CallbackQueue
  /// Time, by the app's clocks.
  nonisolated let time: Timekeeper
  /// The backend's share of the pool's threads. The store has a fourth one of its own, so that calls that block in the
  /// backend do not hold up a sign-out's erasure.
  private nonisolated let backendThreads = PoolShare(width: 3)
  /// Emptied when this goes.
  nonisolated let surroundings: TakeOnce<Surroundings>

  nonisolated init(_ surroundings: TakeOnce<Surroundings>, callbacks: CallbackQueue, timeouts: Timeouts) {
    self.surroundings = surroundings
    self.callbacks = callbacks
    self.timeouts = timeouts
    time = Timekeeper { surroundings.current?.clocks }
  }

  deinit { callbacks.release(surroundings) }

  /// What the app handed in: there while this lives.
  nonisolated var app: Surroundings {
    guard let surroundings = surroundings.current else { preconditionFailure("emptied only when this goes") }
    return surroundings
  }

  func log(_ level: EngineLog.Level, _ message: String) { EngineLog.write(level, to: app.logger, message) }

  /// Asks the backend, off the work queue, and reads the clocks when the answer is there.
  func ask<C: Call>(_ call: C) async throws(AuthError) -> (response: C.Response, received: ClockReading) {
    try await Background.run(on: backendThreads) { [surroundings] () throws(AuthError) in
      guard let app = surroundings.current else { throw .closed }
      let response = try await app.backend.answer(call)
      return (response, app.clocks.now())
    }
  }

  /// Runs quick code of the app's off the work queue: a look at the clocks, a random number.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Surroundings) -> Value
  ) async throws(AuthError) -> Value {
    try await time.run { [surroundings] () throws(AuthError) in
      guard let app = surroundings.current else { throw .closed }
      return body(app)
    }
  }

  /// What the clocks show, read off the work queue.
  func readClocks() async throws(AuthError) -> ClockReading { try await read { $0.clocks.now() } }

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
}
