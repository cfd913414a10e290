extension Timekeeper {
  /// Returns `true` when `seconds` have passed on the boot clock, and `false` at once when the task is cancelled.
  @WorkQueue
  package func rest(for seconds: Double) async -> Bool {
    let end = Promise<Void, QueueFailure<Never>>()
    let alarm = after(seconds) { end.resolve(.success(())) }
    defer { alarm.cancel() }
    if case .success = await end.result() { return true }
    return false
  }
}
