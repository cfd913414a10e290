import GatehouseBase

/// A fetched set of keys, and how long it is fresh.
///
/// A class, so that a reader counts references to this object only; see `StripedSnapshot`.
final class KeySnapshot: Sendable {
  let keys: JWKSet
  /// Incremented when the keys change.
  let generation: UInt64
  /// The reading of the clocks when the fetch began: the server's response is no older.
  let fetched: ClockReading
  /// The time for which the keys are fresh, in seconds.
  let lifetime: Double

  init(_ keys: JWKSet, generation: UInt64, fetched: ClockReading, lifetime: Double) {
    self.keys = keys
    self.generation = generation
    self.fetched = fetched
    self.lifetime = lifetime
  }

  /// Copies this object.
  convenience init(copying other: KeySnapshot) {
    self.init(other.keys, generation: other.generation, fetched: other.fetched, lifetime: other.lifetime)
  }

  func age(at now: ClockReading) -> Double { now.elapsed(since: fetched) }

  func isFresh(at now: ClockReading) -> Bool { age(at: now) < lifetime }

  /// Whether the keys should be fetched again, though they are still usable.
  func isDue(at now: ClockReading) -> Bool { age(at: now) >= lifetime - FetchTimes.margin(of: lifetime) }

  /// Whether the keys may still be used while they cannot be fetched again.
  func isUsable(at now: ClockReading, staleIfError: Double) -> Bool { age(at: now) < lifetime + staleIfError }

  /// Whether another set lacks one of these keys, or has another key, or another use for it, with the same key ID. A
  /// new ambiguous key counts too: it may take an algorithm away from a key with its ID.
  func losesKeys(in other: JWKSet) -> Bool {
    let others = Set(other.keys.map(\.json)), ambiguous = Set(keys.ambiguous.map(\.json))
    return !keys.keys.allSatisfy { others.contains($0.json) }
      || !other.ambiguous.allSatisfy { ambiguous.contains($0.json) }
  }

  /// Whether another set has the same keys, in any order.
  func isSame(as other: JWKSet) -> Bool { keys.isSame(as: other) }
}
