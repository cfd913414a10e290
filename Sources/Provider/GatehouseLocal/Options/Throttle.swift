/// A limit of attempts within a time window, such as the failed sign-ins of an address.
///
/// The window begins with the first attempt and is stored in the database, so that a restart does not reset it. A
/// successful sign-in resets the account's failures.
public struct Throttle: Sendable, Hashable {
  /// The maximum number of attempts within the window, at least one. Further ones are refused until the window has
  /// ended.
  public var attempts: Int
  /// The length of the window, from one second to a day; fractions of a second are truncated.
  public var window: Duration

  /// Makes a throttle; ten attempts in five minutes by default.
  public init(attempts: Int = 10, window: Duration = .seconds(300)) {
    self.attempts = attempts
    self.window = window
  }

  /// No limit: nothing is counted.
  public static let unlimited = Throttle(attempts: .max, window: .seconds(3600))

  /// The throttle with as many times the attempts.
  func times(_ factor: Int) -> Throttle {
    let (product, isTooLarge) = attempts.multipliedReportingOverflow(by: factor)
    return Throttle(attempts: isTooLarge ? .max : product, window: window)
  }

  /// The throttle with half of the attempts, rounded up.
  var half: Throttle { Throttle(attempts: attempts / 2 + attempts % 2, window: window) }

  /// The window in whole seconds.
  var windowSeconds: Int64 { window.wholeSeconds }
}
