public import GatehouseBase

/// What a `RemoteKeySet` has done so far, and what it has at hand.
public struct RemoteKeyStatistics: Sendable, Hashable {
  /// How many fetches were begun.
  public internal(set) var fetches = 0
  /// How many of them failed.
  public internal(set) var failures = 0
  /// How many look-ups named a key that is not known.
  public internal(set) var unknownKeyIDs = 0
  /// Why the last fetch failed; `nil` if it did not.
  public internal(set) var lastError: AuthError.Code?
  /// How long ago the keys at hand were fetched; `nil` if there are none.
  public internal(set) var age: Duration?
  /// How many keys are at hand.
  public internal(set) var keys = 0
  /// How many keys of the set at hand are skipped.
  public internal(set) var skipped = 0
  /// The keys of the set at hand that are skipped, and the members that are ignored, with their reasons.
  public internal(set) var omissions: [JWKSet.Omission] = []
}
