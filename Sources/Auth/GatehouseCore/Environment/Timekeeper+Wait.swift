package import GatehouseBase
package import GatehouseQueues

extension Timekeeper {
  /// Waits for a shared result. A timeout or a cancellation only ends this wait.
  ///
  /// - Parameter despiteClocks: whether the wait ends although the app's clocks never return.
  @WorkQueue
  package func wait<Value: Sendable>(
    for promise: Promise<Value, AuthError>, _ name: StaticString, timeout seconds: Double?, despiteClocks: Bool = false
  ) async throws(AuthError) -> Value {
    guard let seconds, !promise.isResolved else { return try await promise.value() }
    let mine = Promise<Value, AuthError>()
    let expire: @WorkQueue @Sendable () -> Void = {
      mine.resolve(.failure(.deadlineExceeded("\(name)", after: seconds)))
    }
    let alarm = despiteClocks ? afterAtLatest(seconds, expire) : after(seconds, expire)
    let task = WorkQueue.begin { mine.resolve(await outcome { () throws(AuthError) in try await promise.value() }) }
    defer {
      alarm.cancel()
      task.cancel()
    }
    return try await mine.value()
  }
}
