public import GatehouseBase

/// Counts of a `RemoteKeySet`'s fetches so far, and data about its stored keys.
public struct RemoteKeyStatistics: Sendable, Hashable {
  /// The number of fetches that were begun.
  public internal(set) var fetches = 0
  /// The number of fetches that failed.
  public internal(set) var failures = 0
  /// The number of look-ups with an unknown key ID.
  public internal(set) var unknownKeyIDs = 0
  /// The reason why the last fetch failed; `nil` if it did not.
  public internal(set) var lastError: AuthError.Code?
  /// The time since the stored keys were fetched; `nil` if there are none.
  public internal(set) var age: Duration?
  /// The number of stored keys.
  public internal(set) var keys = 0
  /// The number of skipped keys in the stored set.
  public internal(set) var skipped = 0
  /// The skipped keys and the ignored members of the stored set, with their reasons.
  public internal(set) var omissions: [JWKSet.Omission] = []
}
