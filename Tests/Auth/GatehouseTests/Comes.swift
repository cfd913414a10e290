/// Whether a condition comes to hold while others run. A condition that does not hold within a minute never will.
///
/// For what has no event to wait for: an alarm that goes, a call that must come sooner or later.
func comes(_ condition: () async -> Bool) async -> Bool {
  let end = ContinuousClock.now + .seconds(60)
  repeat {
    if await condition() { return true }
    await Task.yield()
  } while ContinuousClock.now < end
  return false
}
