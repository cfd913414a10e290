import GatehouseBase

/// Decides when keys may be fetched, and keeps count: a value, without clocks of its own.
///
/// It reads the boot clock only, which is never set. Neither the number of callers nor the keys at hand change a
/// decision.
struct FetchLedger: Sendable {
  private let times: FetchTimes
  private(set) var statistics = RemoteKeyStatistics()
  private var lastBegin = -Double.infinity
  /// No fetch before this moment, after one that failed.
  private(set) var pauseEnd = -Double.infinity
  private var failuresInARow = 0

  init(_ times: FetchTimes) { self.times = times }

  /// Whether keys may be fetched that are due, or missing.
  ///
  /// After a failure there is a pause of one second, which doubles with each further one up to the cooldown. Where the
  /// server asks for a longer one it gets that, up to the cooldown as well.
  func checkRefresh(at now: ClockReading) throws(AuthError) {
    try Self.check(now, pauseEnd: pauseEnd, times)
  }

  /// Throws `keysUnavailable` before the end of a pause, with the time to wait.
  static func check(_ now: ClockReading, pauseEnd: Double, _ times: FetchTimes) throws(AuthError) {
    guard now.boot >= pauseEnd else {
      let wait = min(pauseEnd - now.boot, times.cooldown)
      throw AuthError(
        .keysUnavailable, "the last fetch failed; retry later",
        retryAfter: wait.isFinite ? .seconds(wait) : nil)
    }
  }

  /// Whether keys may be fetched because a token named one that is not at hand: once in a cooldown at most.
  func checkLookup(at now: ClockReading) throws(AuthError) {
    guard now.boot >= lookupsBegin, now.boot >= pauseEnd else { throw .unknownKey }
  }

  /// When unknown names may cause a fetch again.
  var lookupsBegin: Double { lastBegin + times.cooldown }

  mutating func noteBegin(at now: ClockReading) {
    lastBegin = now.boot
    statistics.fetches += 1
  }

  mutating func noteSuccess() {
    failuresInARow = 0
    pauseEnd = -.infinity
    statistics.lastError = nil
  }

  mutating func noteFailure(_ error: AuthError, at now: ClockReading) {
    statistics.failures += 1
    statistics.lastError = error.code
    let pause = max(Double(1 << min(failuresInARow, 16)), error.retryAfter?.inSeconds ?? 0)
    pauseEnd = now.boot + min(pause, times.cooldown)
    failuresInARow += 1
  }
}
