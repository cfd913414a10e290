/// A source of time. Tests provide their own.
///
/// Gatehouse calls a clock on any thread but the work queue's, one call at a time for each `Auth`. Every method returns
/// immediately and may call Gatehouse. `SystemClocks` and `ManualClocks` are the provided implementations.
public protocol Clocks: Sendable {
  /// Returns the current reading of both clocks.
  func now() -> ClockReading

  /// The wall clock's current time, in seconds since 1970: the same as `now().wall`, for callers that need no more.
  /// Never behind an earlier `now()`, otherwise tokens that were just issued would be rejected as not yet valid.
  var wall: Double { get }

  /// Calls `body` once, when the boot clock reaches `alarm.boot` or the wall clock reaches `alarm.wall`, whichever
  /// comes first. Returns immediately.
  ///
  /// `body` is quick, never blocks, and may be called on any thread, also before this method returns. An alarm whose
  /// time is NaN never fires. Deadlines depend on this method, so it must not need a thread that a slow backend could
  /// block: use a timer, never a `Task`.
  ///
  /// - Returns: the alarm's cancellation. After `cancel()`, one call of `body` may still be in progress.
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation
}

extension Clocks {
  /// The wall clock's time of `now()`.
  public var wall: Double { now().wall }

  /// Returns when the boot clock reaches `alarm.boot` or the wall clock reaches `alarm.wall`, whichever comes first, or
  /// early when the task is cancelled.
  public func sleep(until alarm: Alarm) async {
    let (rings, rung) = AsyncStream.makeStream(of: Never.self)
    let cancellation = wake(at: alarm) { rung.finish() }
    for await _ in rings {}
    cancellation.cancel()
  }
}

/// Cancels an alarm that `Clocks.wake(at:_:)` has set. Usable from any thread; does nothing the second time or after
/// the alarm has fired.
public struct AlarmCancellation: Sendable {
  private let body: @Sendable () -> Void

  /// - Parameter body: cancels the alarm; called at each `cancel()`.
  public init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Cancels the alarm.
  public func cancel() { body() }
}

/// A time to wake at.
public struct Alarm: Sendable, Hashable {
  /// The time on the boot clock, in seconds.
  public var boot: Double
  /// The time on the wall clock, in seconds; `nil` for a timeout, which must not end early because the clock was set.
  public var wall: Double?

  /// Creates an alarm.
  public init(boot: Double, wall: Double? = nil) {
    self.boot = boot
    self.wall = wall
  }

  /// Whether a reading has reached the alarm's time.
  public func isReached(at now: ClockReading) -> Bool {
    if now.boot >= boot { return true }
    guard let wall else { return false }
    return now.wall >= wall
  }
}
