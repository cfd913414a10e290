import GatehouseBase
import GatehouseQueues

/// A shutdown that several callers wait for, each with its own limit.
///
///     a caller's limit passes    then
///     others still wait          this caller gets `.deadlineExceeded`, and the shutdown goes on
///     it was the last one        the shutdown stops waiting for what is in flight, and ends
@WorkQueue
final class Shutdown {
  private let environment: EngineEnvironment
  private let end = Promise<Void, AuthError>()
  /// Resolves when the limit of the last caller has passed, or the shutdown has ended.
  private let givenUp = Promise<Void, AuthError>()
  private var alarms: [Alarms.Handle] = []
  /// The number of callers whose limit has not passed.
  private var waiting = 0
  /// The longest limit of a caller, in seconds.
  private(set) var maximumSeconds = 0.0

  init(_ environment: EngineEnvironment) { self.environment = environment }

  /// Waits for the end. Cancelling a caller cancels nothing: its limit still counts.
  func wait(for seconds: Double) async throws(AuthError) {
    let result = Promise<Void, AuthError>()
    waiting += 1
    maximumSeconds = max(maximumSeconds, seconds)
    alarms.append(
      environment.time.afterAtLatest(seconds) {
        self.waiting -= 1
        if self.waiting == 0 { return self.givenUp.resolve(.success(())) }
        result.resolve(.failure(.deadlineExceeded("close", after: seconds)))
      })
    let task = WorkQueue.begin { result.resolve(await self.end.result()) }
    defer { task.cancel() }
    try await result.value()
  }

  /// Waits for what is in flight, until the last caller's limit has passed.
  func untilGivenUp<Value: Sendable>(_ promise: Promise<Value, AuthError>) async -> Result<Void, AuthError> {
    let first = Promise<Void, AuthError>()
    let task = WorkQueue.begin { first.resolve(await promise.result().map { _ in }) }
    let limit = WorkQueue.begin {
      _ = await self.givenUp.result()
      first.resolve(.failure(.deadlineExceeded("close", after: self.maximumSeconds)))
    }
    defer {
      task.cancel()
      limit.cancel()
    }
    return await first.result()
  }

  func finish(_ outcome: Result<Void, AuthError>) {
    for alarm in alarms { alarm.cancel() }
    alarms = []
    end.resolve(outcome)
    givenUp.resolve(.success(()))
  }
}
