import GatehouseBase

/// Decides when keys may be fetched, and keeps count: a value, without clocks of its own.
///
/// Times are the boot clock's alone: nobody sets it, and whoever asks for keys, how often, and whether any are at hand
/// moves nothing.
struct FetchLedger: Sendable {
  private let options: RemoteKeyOptions
  private(set) var statistics = RemoteKeyStatistics()
  private var lastBegin = -Double.infinity
  /// No fetch before this moment, after one that failed.
  private var pauseEnd = -Double.infinity
  private var failuresInARow = 0
  private var unknown = UnknownKeyIDs()

  init(_ options: RemoteKeyOptions) { self.options = options }

  /// Whether keys may be fetched that are due, or missing.
  ///
  /// After a failure there is a pause of one second, which doubles with each further one up to the cooldown.
  func checkRefresh(at now: ClockReading) throws(AuthError) {
    guard now.boot >= pauseEnd else {
      let wait = min(pauseEnd - now.boot, options.cooldown)
      throw AuthError(
        .keysUnavailable, "the last fetch failed; retry later",
        retryAfter: wait.isFinite ? .seconds(wait) : nil)
    }
  }

  /// Whether keys may be fetched because somebody named one that is not at hand.
  ///
  /// Names cost an attacker nothing. They cause one fetch in a cooldown at most, however many there are, and the same
  /// name not even that.
  mutating func checkLookup(of keyID: String, at now: ClockReading) throws(AuthError) {
    guard now.boot - lastBegin >= options.cooldown, now.boot >= pauseEnd, !unknown.contains(keyID, at: now.boot)
    else { throw countUnknown() }
  }

  mutating func noteBegin(at now: ClockReading) {
    lastBegin = now.boot
    statistics.fetches += 1
  }

  mutating func noteSuccess(changed: Bool) {
    failuresInARow = 0
    pauseEnd = -.infinity
    statistics.lastError = nil
    if changed { unknown = UnknownKeyIDs() }
  }

  mutating func noteFailure(_ error: AuthError, at now: ClockReading) {
    statistics.failures += 1
    statistics.lastError = error.code
    let pause = Double(1 << min(failuresInARow, 16))
    pauseEnd = now.boot + min(pause, options.cooldown)
    failuresInARow += 1
  }

  /// Remembers a name that is not in a set that was fetched for its sake.
  mutating func noteUnknown(_ keyID: String, at now: ClockReading) -> AuthError {
    unknown.insert(keyID, until: now.boot + options.unknownKeyMemory)
    return countUnknown()
  }

  private mutating func countUnknown() -> AuthError {
    statistics.unknownKeyIDs += 1
    return AuthError(.unknownKey, "no key of the set has the token's `kid`")
  }
}

/// Names of keys that were looked for and not found: a bounded number, the latest.
struct UnknownKeyIDs: Sendable {
  static let limit = 256

  private var ends: [[UInt8]: Double] = [:]
  private var order: [[UInt8]] = []

  func contains(_ keyID: String, at now: Double) -> Bool {
    guard let end = ends[Array(keyID.utf8)] else { return false }
    return now < end
  }

  mutating func insert(_ keyID: String, until end: Double) {
    let name = Array(keyID.utf8)
    if ends.updateValue(end, forKey: name) == nil { order.append(name) }
    if order.count > Self.limit { ends[order.removeFirst()] = nil }
  }

  var count: Int { ends.count }
}
