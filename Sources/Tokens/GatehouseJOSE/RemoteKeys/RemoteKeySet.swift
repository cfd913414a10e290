public import Dispatch
public import GatehouseBase
public import GatehouseHTTP
import GatehouseQueues

/// The keys that a server publishes, fetched when they are needed and kept as long as they are good.
///
///     the keys at hand are            the caller gets
///     fresh                           them, at once
///     near the end of their time      them, at once; a fetch begins that no caller waits for
///     past it, up to the stale limit  them, at once; a fetch begins that no caller waits for
///     none, or older than that        new ones, or `keysUnavailable`
///
/// A caller whose key is at hand never waits for the server. One fetch at a time: a caller without its key waits for
/// it. A cancelled waiter is released at once, and the fetch goes on for the others. A fetch that fails changes nothing
/// of what is at hand. A set without a usable key, after one with some, is a failed fetch. Unknown names cause one
/// fetch in a cooldown at most, and are not remembered.
///
/// Refused are redirects to other servers, every status but 200, every type but JSON, plain text and plain bytes, more
/// than 256 KiB or 100 keys, private keys and shared secrets. Keys that cannot be used are skipped: see `JWKSet`, and
/// `statistics` for the reasons.
///
/// Any thread, all at once; readers of the keys at hand share no lock. The transport is called on
/// the SDK's own threads, the clocks there and on the caller's.
public final class RemoteKeySet: Sendable {
  /// Where the keys are.
  public let url: String
  /// How long keys are kept, and how they are fetched.
  public let options: RemoteKeyOptions
  let transport: any HTTPTransport
  let clocks: any Clocks
  let times: FetchTimes
  let fetching: Fetching
  let gate = FetchGate()
  let shelf = KeyShelf()
  let time: Timekeeper
  /// What the transport may hold of the SDK's threads: one fetch at a time, and one that follows a stuck one.
  let threads = PoolShare(width: 2)
  let completions: Completions

  /// Fetches nothing yet.
  ///
  /// Throws `invalidArgument` for an invalid URL or a duration of the options that is negative or above ten years, and
  /// `insecureConnection` for plain HTTP to another machine.
  ///
  /// - Parameters:
  ///   - url: where the keys are.
  ///   - transport: fetches them. Called in the background, never on the work queue.
  ///   - clocks: what ages and timeouts are measured on.
  ///   - options: how long keys are kept, and how they are fetched.
  ///   - callbackQueue: where completions without an isolation of their own are called.
  public init(
    url: String, transport: any HTTPTransport, clocks: any Clocks = SystemClocks(),
    options: RemoteKeyOptions = RemoteKeyOptions(), callbackQueue: DispatchQueue = .main
  ) throws(AuthError) {
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

  /// Incremented when a key is removed or replaced, or its use changes: a token verified before may rest on a key that
  /// is no longer trusted. Takes no lock.
  ///
  /// Read it before the keys that you verify with: then a remembered outcome is outdated at the latest when they are.
  public var keySetEpoch: UInt64 { shelf.epoch }

  /// The keys at hand, `nil` if there are none or they are past the stale limit. Waits for nothing.
  public var current: JWKSet? { snapshotAtHand(at: clocks.now())?.keys }

  /// The keys at hand up to the stale limit, at once; without any, those that a fetch brings.
  ///
  /// Throws `keysUnavailable` with the reason, and `retryAfter` where it is too soon to try again; `cancelled`.
  public func keys() async throws(AuthError) -> JWKSet { try await snapshot().keys }

  /// `keys()`, with a number that changes when they do.
  package func keysAndGeneration() async throws(AuthError) -> (keys: JWKSet, generation: UInt64) {
    let snapshot = try await snapshot()
    return (snapshot.keys, snapshot.generation)
  }

  /// The key with a name, as bytes; fetched if it is not at hand and the cooldown allows. Waits only for that fetch.
  ///
  /// Throws `unknownKey` if there is no such key, or it is too soon to ask; `keysUnavailable` if it could not be asked.
  public func key(named keyID: String) async throws(AuthError) -> JWK {
    let atHand = try await keys()
    if let key = try? atHand.key(named: keyID) { return key }
    let now = clocks.now()
    let fetched: KeySnapshot
    do {
      try gate.checkLookup(at: now)
      fetched = try await fetch(at: now) { ledger throws(AuthError) in try ledger.checkLookup(at: now) }
    } catch {
      guard error.code == .unknownKey else { throw unavailable(error) }
      // A fetch may have ended since we looked.
      return try key(named: keyID, in: snapshotAtHand(at: now)?.keys ?? atHand)
    }
    return try key(named: keyID, in: fetched.keys)
  }

  /// The key of a set, or the reason why it has none, which is counted.
  private func key(named keyID: String, in keys: JWKSet) throws(AuthError) -> JWK {
    do throws(AuthError) { return try keys.key(named: keyID) } catch {
      gate.countUnknown()
      throw error
    }
  }

  /// Fetches the keys now, or waits for the fetch under way, whatever is at hand. The cooldown begins anew.
  public func refresh() async throws(AuthError) {
    do { _ = try await fetch(at: clocks.now()) { _ in } } catch { throw unavailable(error) }
  }

  /// What was done so far, and what is at hand. For people: waits for the work queue.
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

  // MARK: What is at hand

  /// The keys at hand that may serve, with all that is known of them.
  func snapshotAtHand(at now: ClockReading) -> KeySnapshot? {
    guard let snapshot = shelf.snapshot, snapshot.isUsable(at: now, staleIfError: times.staleIfError) else {
      return nil
    }
    return snapshot
  }

  /// What `keys()` gives, with all that is known of it.
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

  /// The error of a failed fetch as callers see it.
  private func unavailable(_ error: AuthError) -> AuthError {
    guard error.code != .cancelled, error.code != .keysUnavailable else { return error }
    return AuthError(
      .keysUnavailable, "the keys could not be fetched: \(error.message) [\(error.code)]", retryAfter: error.retryAfter)
  }
}
