import GatehouseBase
import GatehouseLocal
import GatehouseQueues

/// Counts the requests of each client's address.
///
/// Memory is bounded without tracking each address's last request: when the newer of two tables contains half of the
/// addresses, the older one is dropped.
final class RateLimiter: Sendable {
  private struct Bucket { var level: Double, at: Double }

  private struct Tables {
    var newer: [[UInt8]: Bucket] = [:]
    var older: [[UInt8]: Bucket] = [:]
  }

  private let rate: Double
  private let burst: Double
  private let half: Int
  private let clocks: any Clocks
  private let tables = Lock(Tables())

  init(_ limit: RateLimit, clocks: any Clocks) {
    // Also handles a rate that is not a number.
    rate = limit.requestsPerSecond >= 0.001 ? min(limit.requestsPerSecond, 1_000_000) : 0.001
    burst = Double(max(limit.burst, 1))
    half = max(limit.addresses, 2) / 2
    self.clocks = clocks
  }

  /// Counts a request.
  ///
  /// - Returns: `nil` if the request is allowed; otherwise the seconds after which the next one is allowed.
  func delay(of address: NetworkAddress) -> Int64? {
    let now = clocks.now().boot, client = address.client
    return tables.withLock { tables -> Int64? in
      let known = tables.newer[client] ?? tables.older[client]
      let level = known.map { min($0.level + max(now - $0.at, 0) * rate, burst) } ?? burst
      if tables.newer[client] == nil, tables.newer.count >= half { tables = Tables(older: tables.newer) }
      guard level >= 1 else {
        tables.newer[client] = Bucket(level: level, at: now)
        return Int64(min(((1 - level) / rate).rounded(.up), 86_400))
      }
      tables.newer[client] = Bucket(level: level - 1, at: now)
      return nil
    }
  }

  /// The number of addresses that are remembered.
  var count: Int { tables.withLock { $0.newer.count + $0.older.count } }
}
