import GatehouseBase

/// A set of keys that was fetched, and how long it is good.
///
/// A class, so that a reader counts references to this object only; see `StripedSnapshot`.
final class KeySnapshot: Sendable {
  let keys: JWKSet
  /// Incremented when the keys change.
  let generation: UInt64
  /// What the clocks showed when the fetch began: the server's answer is no younger.
  let fetched: ClockReading
  /// How long the keys are fresh, in seconds.
  let lifetime: Double

  init(_ keys: JWKSet, generation: UInt64, fetched: ClockReading, lifetime: Double) {
    self.keys = keys
    self.generation = generation
    self.fetched = fetched
    self.lifetime = lifetime
  }

  /// A copy of this object.
  convenience init(copying other: KeySnapshot) {
    self.init(other.keys, generation: other.generation, fetched: other.fetched, lifetime: other.lifetime)
  }

  func age(at now: ClockReading) -> Double { now.elapsed(since: fetched) }

  func isFresh(at now: ClockReading) -> Bool { age(at: now) < lifetime }

  /// Whether the keys should be fetched anew, though they still serve.
  func isDue(at now: ClockReading) -> Bool { age(at: now) >= lifetime - FetchTimes.margin(of: lifetime) }

  /// Whether the keys may still serve while they cannot be fetched anew.
  func isUsable(at now: ClockReading, staleIfError: Double) -> Bool { age(at: now) < lifetime + staleIfError }

  /// Whether another set lacks one of these keys, or has another key, or another use for it, under its name.
  func losesKeys(in other: JWKSet) -> Bool {
    let others = Set(other.keys.map(\.json))
    return !keys.keys.allSatisfy { others.contains($0.json) }
  }

  /// Whether another set has the same keys, in any order.
  func isSame(as other: JWKSet) -> Bool { keys.isSame(as: other) }
}
