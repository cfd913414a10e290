package import GatehouseBase

/// Counts durations in buckets an eighth of a power of two wide: constant size, error below 12.5 %.
package struct Histogram: Sendable {
  private static let perDoubling = 8
  private var counts = [UInt64](repeating: 0, count: 48 * perDoubling)
  package private(set) var count: UInt64 = 0
  package private(set) var maximum: Int64 = 0

  package init() {}

  package mutating func record(_ nanoseconds: Int64) {
    let duration = max(nanoseconds, 0)
    counts[Self.bucket(duration)] += 1
    count += 1
    maximum = max(maximum, duration)
  }

  /// The duration, in nanoseconds, that this share of all durations does not exceed.
  package func quantile(_ share: Double) -> Int64 {
    let wanted = UInt64((Double(count) * share).rounded(.up))
    var seen: UInt64 = 0
    for (index, count) in counts.enumerated() where count > 0 {
      seen += count
      if seen >= wanted { return min(Self.upperBound(index), maximum) }
    }
    return maximum
  }

  /// The figures that diagnostics show.
  package var distribution: QueueDiagnostics.Distribution {
    .init(
      median: .nanoseconds(quantile(0.5)), p99: .nanoseconds(quantile(0.99)), p999: .nanoseconds(quantile(0.999)),
      maximum: .nanoseconds(maximum))
  }

  private static func bucket(_ duration: Int64) -> Int {
    guard duration >= Int64(perDoubling) else { return Int(duration) }
    let exponent = 63 - duration.leadingZeroBitCount
    let fraction = Int(duration >> (exponent - 3)) & (perDoubling - 1)
    return min((exponent - 2) * perDoubling + fraction, 48 * perDoubling - 1)
  }

  private static func upperBound(_ bucket: Int) -> Int64 {
    guard bucket >= perDoubling else { return Int64(bucket) }
    let exponent = bucket / perDoubling + 2
    let fraction = Int64(bucket % perDoubling)
    return (Int64(perDoubling) + fraction + 1) << (exponent - 3) - 1
  }
}
