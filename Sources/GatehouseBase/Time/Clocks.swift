/// Where time comes from. Tests hand in their own.
///
/// Called on any thread, never on the work queue; both methods may call Gatehouse.
public protocol Clocks: Sendable {
  /// What the clocks show now.
  func now() -> ClockReading

  /// What the wall clock shows now, in seconds since 1970: as `now().wall`, for those who need no more, and not to the
  /// hundredth of a second.
  var wall: Double { get }

  /// Returns when the boot clock shows `alarm.boot` or the wall clock shows `alarm.wall`, whichever comes first,
  /// and early when the task is cancelled.
  func sleep(until alarm: Alarm) async
}

extension Clocks {
  public var wall: Double { now().wall }
}

/// A moment to wake at.
public struct Alarm: Sendable, Hashable {
  /// Seconds on the boot clock.
  public var boot: Double
  /// Seconds on the wall clock; `nil` for a timeout, which must not end early because the clock was set.
  public var wall: Double?

  public init(boot: Double, wall: Double? = nil) {
    self.boot = boot
    self.wall = wall
  }

  /// Whether a reading has reached this moment.
  public func isReached(at now: ClockReading) -> Bool {
    if now.boot >= boot { return true }
    guard let wall else { return false }
    return now.wall >= wall
  }
}
