extension Timekeeper {
  /// Waits until `seconds` have passed on the boot clock. Returns `true` then, and `false` at once if the task is
  /// cancelled.
  @WorkQueue
  package func rest(for seconds: Double) async -> Bool {
    let end = Promise<Void, QueueFailure<Never>>()
    let alarm = after(seconds) { end.resolve(.success(())) }
    defer { alarm.cancel() }
    if case .success = await end.result() { return true }
    return false
  }
}
