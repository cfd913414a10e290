import HangGuard

/// Whether a condition comes to hold while others run. A condition that never holds is a hang.
///
/// For what has no event to wait for: an alarm that goes, a call that must come sooner or later.
func comes(_ condition: () async -> Bool) async -> Bool {
  let end = ContinuousClock.now + .seconds(Watchdog.seconds)
  repeat {
    if await condition() { return true }
    await Task.yield()
  } while ContinuousClock.now < end
  return false
}
