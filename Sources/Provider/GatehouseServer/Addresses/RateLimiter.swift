import GatehouseBase
import GatehouseLocal
import GatehouseQueues

/// Counts the requests of each client's network, and of the larger networks around it, which have higher limits
/// (`NetworkAddress.networks`).
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
    let now = clocks.now().boot, networks = address.networks
    return tables.withLock { tables -> Int64? in
      let buckets = networks.map { network -> (network: NetworkAddress.Network, level: Double, isKnown: Bool) in
        let (rate, burst) = (rate * Double(network.share), burst * Double(network.share))
        let known = tables.newer[network.prefix] ?? tables.older[network.prefix]
        let level = known.map { min($0.level + max(now - $0.at, 0) * rate, burst) } ?? burst
        return (network, level, known != nil)
      }
      // A refused request takes nothing from the other networks.
      let delay = buckets.filter { $0.level < 1 }.map { (1 - $0.level) / (rate * Double($0.network.share)) }.max()
      // A refused request adds no network: one site could otherwise push all others out of the tables.
      for (network, level, isKnown) in buckets where delay == nil || isKnown {
        if tables.newer[network.prefix] == nil, tables.newer.count >= half { tables = Tables(older: tables.newer) }
        tables.newer[network.prefix] = Bucket(level: delay == nil ? level - 1 : level, at: now)
      }
      return delay.map { Int64(min($0.rounded(.up), 86_400)) }
    }
  }

  /// The number of networks that are remembered.
  var count: Int { tables.withLock { $0.newer.count + $0.older.count } }
}
