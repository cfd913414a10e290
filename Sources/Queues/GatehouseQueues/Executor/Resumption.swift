import CGatehouseWaits

/// Suspends the task until its continuation is resumed, and returns what it was resumed with.
///
/// Like `withCheckedContinuation`, and seen by the thread sanitizer. The runtime of Swift 6.3 does not tell the
/// sanitizer when a task is resumed before it was suspended, which is then reported as a race, about twice in 160,000
/// waits of correct code (decision 139).
package func untilResumed<Value: Sendable>(_ body: (CheckedContinuation<Value, Never>) -> Void) async -> Value {
  let value = await withCheckedContinuation(body)
  gw_resumed()
  return value
}
