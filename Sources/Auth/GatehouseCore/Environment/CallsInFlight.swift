import GatehouseBase
import GatehouseQueues

/// The public calls that `close()` ends instead of awaiting.
@WorkQueue
final class CallsInFlight {
  private let environment: EngineEnvironment
  private var calls: [Int: @WorkQueue (AuthError) -> Void] = [:]
  private var nextCall = 0

  nonisolated init(_ environment: EngineEnvironment) { self.environment = environment }

  /// Waits for the result of a public call. The call ends with its result, at its timeout, when its caller is
  /// cancelled, or with `endAll`, whichever comes first. In the last three cases `onEnd` runs at once.
  func wait<Value: Sendable>(
    for promise: Promise<Value, AuthError>, _ name: StaticString, timeout: Duration?,
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
    let seconds = timeout?.inSeconds ?? environment.timeouts.call
    let alarm = environment.time.after(seconds) { end(.deadlineExceeded("\(name)", after: seconds)) }
    promise.whenAbandoned { end(.cancelled) }
    defer {
      calls[id] = nil
      alarm.cancel()
    }
    return try await promise.value()
  }

  /// Ends every call with an error.
  func endAll(_ error: AuthError) {
    let calls = calls  // copied first: a resumed caller may call again
    self.calls = [:]
    for call in calls.values { call(error) }
  }
}
