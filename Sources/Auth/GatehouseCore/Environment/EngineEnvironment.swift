import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// The engine's access to the app's backend, clocks, random source and log, always off the work queue, and to waits
/// with timeouts.
///
/// Every part of the engine and every operation in flight holds this one object. It releases the app's objects on the
/// callback queue when the last of its holders is released.
@WorkQueue
final class EngineEnvironment {
  nonisolated let timeouts: Timeouts
  nonisolated let callbacks: CallbackQueue
  /// Timers and waits, by the app's clocks.
  nonisolated let time: Timekeeper
  /// The backend's share of the pool's threads. The store has a fourth thread of its own, so that calls that block in
  /// the backend do not delay the erasure of a sign-out.
  private nonisolated let backendThreads = PoolShare(width: 3)
  private nonisolated let messages = EngineLog()
  /// Emptied in the `deinit`.
  nonisolated let dependencies: TakeOnce<AppDependencies>

  nonisolated init(_ dependencies: TakeOnce<AppDependencies>, callbacks: CallbackQueue, timeouts: Timeouts) {
    self.dependencies = dependencies
    self.callbacks = callbacks
    self.timeouts = timeouts
    time = Timekeeper { dependencies.current?.clocks }
  }

  deinit { callbacks.release(dependencies) }

  /// The app's objects, available while this object lives.
  nonisolated var app: AppDependencies {
    guard let dependencies = dependencies.current else { preconditionFailure("emptied only in the deinit") }
    return dependencies
  }

  nonisolated func log(_ level: EngineLog.Level, _ message: String) {
    messages.write(level, to: app.logger, message)
  }

  /// Makes a call to the backend, off the work queue, and reads the clocks when the answer arrives.
  func ask<C: Call>(_ call: C) async throws(AuthError) -> (response: C.Response, received: ClockReading) {
    try await Background.run(on: backendThreads) { [dependencies] () throws(AuthError) in
      guard let app = dependencies.current else { throw .closed }
      let response = try await app.backend.answer(call)
      return (response, app.clocks.now())
    }
  }

  /// Runs quick code of the app off the work queue, for example to read the clocks or get a random number.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (AppDependencies) -> Value
  ) async throws(AuthError) -> Value {
    try await time.run { [dependencies] () throws(AuthError) in
      guard let app = dependencies.current else { throw .closed }
      return body(app)
    }
  }

  /// Reads the clocks, off the work queue.
  func readClocks() async throws(AuthError) -> ClockReading { try await read { $0.clocks.now() } }

  /// Waits for a shared result. A timeout or a cancellation only ends this wait.
  ///
  /// - Parameter despiteClocks: whether the wait ends although the app's clocks never return.
  func wait<Value: Sendable>(
    for promise: Promise<Value, AuthError>, _ name: StaticString, timeout seconds: Double?, despiteClocks: Bool = false
  ) async throws(AuthError) -> Value {
    try await time.wait(for: promise, name, timeout: seconds, despiteClocks: despiteClocks)
  }
}
