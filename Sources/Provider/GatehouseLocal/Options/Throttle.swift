/// How many failed sign-ins an address may have, and within which time.
///
/// The window begins with the first failure and is kept in the database, so that a restart does not open it again. A
/// sign-in that succeeds ends it.
public struct Throttle: Sendable, Hashable {
  /// How many sign-ins may fail within the window, at least one. Later ones are refused until the window has ended.
  public var attempts: Int
  /// How long failures count, from one second to a day; fractions of a second are cut off.
  public var window: Duration

  /// Ten failures in five minutes, unless set otherwise.
  public init(attempts: Int = 10, window: Duration = .seconds(300)) {
    self.attempts = attempts
    self.window = window
  }

  /// The window in whole seconds.
  var windowSeconds: Int64 { window.wholeSeconds }
}
