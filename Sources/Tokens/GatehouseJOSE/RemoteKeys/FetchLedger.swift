import GatehouseBase

/// Decides when keys may be fetched, and counts fetches: a value, without clocks of its own.
///
/// It uses only the boot clock, which cannot be set. Decisions depend neither on the number of callers nor on the
/// cached keys.
struct FetchLedger: Sendable {
  private let times: FetchTimes
  private(set) var statistics = RemoteKeyStatistics()
  private var lastBegin = -Double.infinity
  /// The end of the pause after a failed fetch. No fetch begins before it.
  private(set) var pauseEnd = -Double.infinity
  /// The reason why the last fetch failed; `nil` if it did not.
  private(set) var failure: String?
  private var failuresInARow = 0

  init(_ times: FetchTimes) { self.times = times }

  /// Throws unless keys that are due or missing may be fetched.
  ///
  /// After a failure there is a pause of one second, which doubles with each further failure up to the cooldown. If the
  /// server asks for a longer pause, that one applies, also up to the cooldown.
  func checkRefresh(at now: ClockReading) throws(AuthError) {
    try Self.check(now, pauseEnd: pauseEnd, after: failure, times)
  }

  /// Throws `keysUnavailable` before the end of a pause, with the time to wait and the reason of the failure.
  static func check(
    _ now: ClockReading, pauseEnd: Double, after failure: @autoclosure () -> String?, _ times: FetchTimes
  ) throws(AuthError) {
    guard now.boot >= pauseEnd else {
      let wait = min(pauseEnd - now.boot, times.cooldown)
      throw AuthError(
        .keysUnavailable, "the last fetch failed, and it is too soon for another: \(failure() ?? "no reason is known")",
        retryAfter: wait.isFinite ? .seconds(wait) : nil)
    }
  }

  /// Throws unless keys may be fetched because a token named an unknown one, or did not verify with the stored one: at
  /// most once in a cooldown.
  func checkLookup(at now: ClockReading) throws(AuthError) {
    guard now.boot >= lookupsBegin, now.boot >= pauseEnd else { throw .unknownKey }
  }

  /// The time from which tokens may cause a fetch again.
  var lookupsBegin: Double { lastBegin + times.cooldown }

  mutating func noteBegin(at now: ClockReading) {
    lastBegin = now.boot
    statistics.fetches += 1
  }

  mutating func noteSuccess() {
    failuresInARow = 0
    pauseEnd = -.infinity
    failure = nil
    statistics.lastError = nil
  }

  mutating func noteFailure(_ error: AuthError, at now: ClockReading) {
    statistics.failures += 1
    statistics.lastError = error.code
    failure = error.reason
    let pause = max(Double(1 << min(failuresInARow, 16)), error.retryAfter?.inSeconds ?? 0)
    pauseEnd = now.boot + min(pause, times.cooldown)
    failuresInARow += 1
  }
}

extension AuthError {
  /// The reason of a failed fetch, in a message about it.
  var reason: String { "\(message) [\(code)]" }
}
