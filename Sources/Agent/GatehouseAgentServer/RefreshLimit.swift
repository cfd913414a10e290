import GatehouseBase
import GatehouseQueues

/// Bounds the fetches that replace fresh tokens for the programs of one rule: ten in any minute.
struct RefreshLimit: Sendable {
  static let limit = 10
  private static let window = 60.0

  /// The moments of the latest fetches on the boot clock, by rule, oldest first.
  private let moments = Lock<[[UInt8]: [Double]]>([:])

  /// Counts a fetch. Throws if there were too many, with the time after which there is room.
  ///
  /// - Parameters:
  ///   - rule: the name of the rule.
  ///   - boot: the moment on the boot clock, in seconds.
  func count(for rule: String, at boot: Double) throws(AuthError) {
    let wait = moments.withLock { moments -> Double? in
      let key = Array(rule.utf8)
      if moments[key] == nil {
        // Rules that a reload has removed leave nothing behind.
        moments = moments.filter { boot - ($0.value.last ?? 0) < Self.window }
      }
      var latest = (moments[key] ?? []).filter { boot - $0 < Self.window }
      guard latest.count >= Self.limit, let first = latest.first else {
        latest.append(boot)
        moments[key] = latest
        return nil
      }
      return first + Self.window - boot
    }
    guard let wait else { return }
    throw AuthError(
      .tooManyRequests,
      "the programs of this rule have had \(Self.limit) fresh tokens replaced in a minute; use the token at hand, or "
        + "try again later", retryAfter: Duration(seconds: wait), serverCode: AuthError.tooManyRefreshes)
  }
}
