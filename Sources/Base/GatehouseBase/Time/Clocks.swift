/// The source of time. Tests hand in their own.
///
/// Gatehouse calls a clock on any thread but the work queue's, and one call at a time for each `Auth`. Every method
/// returns at once and may call Gatehouse. `ManualClocks` and `SystemClocks` are the two that come with it.
public protocol Clocks: Sendable {
  /// What the clocks show now.
  func now() -> ClockReading

  /// What the wall clock shows now, in seconds since 1970: as `now().wall`, for callers that need no more. Never behind
  /// what `now()` has shown, or tokens that were just issued are refused as not yet valid.
  var wall: Double { get }

  /// Calls `body` once, when the boot clock shows `alarm.boot` or the wall clock shows `alarm.wall`, whichever comes
  /// first. Returns at once.
  ///
  /// `body` is quick, never blocks, and may be called on any thread, also before this method returns. An alarm with a
  /// time that is not a number never rings. Deadlines rest on this method, so it must not need a thread that a slow
  /// backend could hold: use a timer, never a `Task`.
  ///
  /// - Returns: takes the alarm back. After `cancel()` one call of `body` may still be under way.
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation
}

extension Clocks {
  /// What `now()` shows.
  public var wall: Double { now().wall }

  /// Returns when the boot clock shows `alarm.boot` or the wall clock shows `alarm.wall`, whichever comes first, and
  /// early when the task is cancelled.
  public func sleep(until alarm: Alarm) async {
    let (rings, rung) = AsyncStream.makeStream(of: Never.self)
    let cancellation = wake(at: alarm) { rung.finish() }
    for await _ in rings {}
    cancellation.cancel()
  }
}

/// Takes an alarm back that `Clocks.wake(at:_:)` has set. Any thread; a second time, and after the alarm has rung, it
/// does nothing.
public struct AlarmCancellation: Sendable {
  private let body: @Sendable () -> Void

  /// - Parameter body: takes the alarm back; called each time that `cancel()` is.
  public init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Takes the alarm back.
  public func cancel() { body() }
}

/// A moment to wake at.
public struct Alarm: Sendable, Hashable {
  /// Seconds on the boot clock.
  public var boot: Double
  /// Seconds on the wall clock; `nil` for a timeout, which must not end early because the clock was set.
  public var wall: Double?

  /// Makes an alarm.
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
