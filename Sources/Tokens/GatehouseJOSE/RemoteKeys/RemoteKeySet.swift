public import Dispatch
public import GatehouseBase
public import GatehouseHTTP
import GatehouseQueues

/// The keys that a server publishes, fetched when they are needed and kept while they are usable.
///
///     the keys at hand are            the caller gets
///     fresh                           them, at once
///     near the end of their time      them, at once; a fetch begins that no caller waits for
///     past it, up to the stale limit  them, at once; a fetch begins that no caller waits for
///     none, or older than that        new ones, or `keysUnavailable`
///
/// A caller whose key is stored never waits for the server. One fetch runs at a time: a caller without its key waits
/// for it. A cancelled waiter is released at once, and the fetch continues for the others. A failed fetch does not
/// change the stored keys. A set without a usable key, after one with some, is a failed fetch. Unknown key IDs, and
/// tokens of a `RemoteTokenVerifier` whose signature fails, cause at most one fetch in a cooldown, and are not
/// remembered.
///
/// Rejected are redirects to other servers, every status except 200, every type except JSON, plain text and plain
/// bytes, more than 256 KiB or 100 keys, private keys and shared secrets. Unusable keys are skipped: see `JWKSet`, and
/// `statistics` for the reasons.
///
/// Usable from any thread; readers of the stored keys share no lock. The transport is called on the SDK's own threads,
/// the clocks there and on the caller's.
public final class RemoteKeySet: Sendable {
  /// The URL of the keys.
  public let url: String
  /// Options for fetching and keeping keys.
  public let options: RemoteKeyOptions
  let transport: any HTTPTransport
  let clocks: any Clocks
  let times: FetchTimes
  let fetching: Fetching
  let gate = FetchGate()
  let shelf = KeyShelf()
  let time: Timekeeper
  /// The SDK's threads that the transport may hold: one for a fetch, and one for a fetch that follows a stuck one.
  let threads = PoolShare(width: 2)
  let completions: Completions

  /// Makes a key set. It does not fetch yet.
  ///
  /// Throws `invalidArgument` for an invalid URL or a duration of the options that is negative or above ten years, and
  /// `insecureConnection` for plain HTTP to another machine.
  ///
  /// - Parameters:
  ///   - url: the URL of the keys.
  ///   - transport: fetches the keys. Called in the background, never on the work queue.
  ///   - clocks: the clocks that measure ages and timeouts.
  ///   - options: options for fetching and keeping keys.
  ///   - callbackQueue: the queue on which completions without an isolation of their own are called.
  public init(
    url: String, transport: any HTTPTransport, clocks: any Clocks = SystemClocks(),
    options: RemoteKeyOptions = RemoteKeyOptions(), callbackQueue: DispatchQueue = .main
  ) throws {
    self.url = url
    self.transport = transport
    self.clocks = clocks
    self.options = options
    times = FetchTimes(options)
    fetching = Fetching(times, shelf, gate)
    time = Timekeeper { clocks }
    completions = Completions(on: callbackQueue)
    guard options.isSound else { throw AuthError(.invalidArgument, "an option is not a duration from 0 to ten years") }
    try request.check()
  }

  /// Incremented when a key is removed or replaced, or its use changes. A token that was verified earlier may then
  /// depend on a key that is no longer trusted. Takes no lock.
  ///
  /// Read it before the keys that you verify with. Then a remembered result becomes outdated no later than those keys.
  public var keySetEpoch: UInt64 { shelf.epoch }

  /// The stored keys; `nil` if there are none or they are past the stale limit. Does not wait.
  public var current: JWKSet? { snapshotAtHand(at: clocks.now())?.keys }

  /// Returns the stored keys up to the stale limit, at once; without any, fetches them.
  ///
  /// Throws `keysUnavailable` with the reason, and `retryAfter` if it is too soon to try again; `cancelled`.
  public func keys() async throws -> JWKSet { try await snapshot().keys }

  /// `keys()`, with a number that changes when the keys do.
  package func keysAndGeneration() async throws(AuthError) -> (keys: JWKSet, generation: UInt64) {
    let snapshot = try await snapshot()
    return (snapshot.keys, snapshot.generation)
  }

  /// Like `keysAndGeneration()`, but other keys than those of a generation, with which a token does not verify. Fetches
  /// them if the cooldown allows. Returns `nil` if there are none; throws only `cancelled`.
  package func keysAndGeneration(
    replacing old: UInt64
  ) async throws(AuthError) -> (keys: JWKSet, generation: UInt64)? {
    try await snapshot(replacing: old).map { ($0.keys, $0.generation) }
  }

  /// Returns the key with an ID, compared as bytes. Fetches the keys if it is not stored and the cooldown allows, and
  /// waits only for that fetch.
  ///
  /// Throws `unknownKey` if there is no such key, several keys have the ID, or it is too soon for a fetch;
  /// `keysUnavailable` if the fetch fails.
  public func key(named keyID: String) async throws -> JWK {
    try await key { keys throws(AuthError) in try typed { try keys.key(named: keyID) } }
  }

  /// `key(named:)` for tokens with an algorithm: if several keys have the ID, the one that is for it
  /// (`JWKSet.key(named:for:)`).
  ///
  /// Throws `algorithmRefused` in addition if several keys have the ID, and none is for the algorithm.
  public func key(named keyID: String, for algorithm: JWSAlgorithm) async throws -> JWK {
    try await key { keys throws(AuthError) in try typed { try keys.key(named: keyID, for: algorithm) } }
  }

  private func key(by find: (JWKSet) throws(AuthError) -> JWK) async throws(AuthError) -> JWK {
    let atHand = try await keysAndGeneration().keys
    if let key = try? find(atHand) { return key }
    let now = clocks.now()
    let fetched: KeySnapshot
    do {
      try gate.checkLookup(at: now)
      fetched = try await fetch(at: now) { ledger throws(AuthError) in try ledger.checkLookup(at: now) }
    } catch {
      guard error.code == .unknownKey else { throw unavailable(error) }
      // A fetch may have ended since the keys were read.
      return try key(in: snapshotAtHand(at: now)?.keys ?? atHand, by: find)
    }
    return try key(in: fetched.keys, by: find)
  }

  /// Fetches the keys because a token does not verify with those of a generation, if the cooldown allows: the server
  /// may have replaced a key and kept its ID. Returns other keys than these; `nil` if there are none.
  ///
  /// Throws only `cancelled`: a failed fetch says nothing about a token whose key is stored.
  func snapshot(replacing old: UInt64) async throws(AuthError) -> KeySnapshot? {
    let now = clocks.now()
    let other: @Sendable (KeyShelf) -> KeySnapshot? = { shelf in
      shelf.snapshot.flatMap { $0.generation == old ? nil : $0 }
    }
    do {
      try gate.checkLookup(at: now)
      let fetched = try await fetch(at: now, orTake: other) { ledger throws(AuthError) in
        try ledger.checkLookup(at: now)
      }
      return fetched.generation == old ? nil : fetched
    } catch {
      guard error.code != .cancelled else { throw error }
      // A fetch may have ended since the keys were read.
      return other(shelf)
    }
  }

  /// The key of a set. If there is none, counts the look-up and throws the reason.
  private func key(in keys: JWKSet, by find: (JWKSet) throws(AuthError) -> JWK) throws(AuthError) -> JWK {
    do throws(AuthError) { return try find(keys) } catch {
      gate.countUnknown()
      throw error
    }
  }

  /// Fetches the keys now, or waits for the running fetch, whatever is stored. The cooldown begins anew.
  public func refresh() async throws {
    do { _ = try await fetch(at: clocks.now()) { _ in } } catch { throw unavailable(error) }
  }

  /// Counts of the fetches so far, and data about the stored keys. For people: waits for the work queue.
  public var statistics: RemoteKeyStatistics {
    let now = clocks.now()
    var statistics = WorkQueue.sync(order: .overtaking) { fetching.ledger.statistics }
    statistics.unknownKeyIDs = gate.unknownKeyIDs
    if let atHand = snapshotAtHand(at: now) {
      statistics.age = Duration(seconds: atHand.age(at: now))
      statistics.keys = atHand.keys.keys.count
      statistics.skipped = atHand.keys.skipped
      statistics.omissions = atHand.keys.omissions
    }
    return statistics
  }

  // MARK: Stored keys

  /// The stored keys if they may be used, as a snapshot.
  func snapshotAtHand(at now: ClockReading) -> KeySnapshot? {
    guard let snapshot = shelf.snapshot, snapshot.isUsable(at: now, staleIfError: times.staleIfError) else {
      return nil
    }
    return snapshot
  }

  /// The result of `keys()`, as a snapshot.
  func snapshot() async throws(AuthError) -> KeySnapshot {
    let now = clocks.now()
    if let atHand = snapshotAtHand(at: now) {
      if atHand.isDue(at: now) { fetchAhead(at: now) }
      return atHand
    }
    do {
      try gate.checkRefresh(at: now, times)
      return try await fetch(at: now) { shelf in
        shelf.snapshot.flatMap { $0.isFresh(at: now) ? $0 : nil }
      } unless: { ledger throws(AuthError) in
        try ledger.checkRefresh(at: now)
      }
    } catch {
      guard error.code != .cancelled, let old = snapshotAtHand(at: clocks.now()) else { throw unavailable(error) }
      return old
    }
  }

  /// The error of a failed fetch for callers.
  private func unavailable(_ error: AuthError) -> AuthError {
    guard error.code != .cancelled, error.code != .keysUnavailable else { return error }
    return AuthError(
      .keysUnavailable, "the keys could not be fetched: \(error.reason)", retryAfter: error.retryAfter)
  }
}
