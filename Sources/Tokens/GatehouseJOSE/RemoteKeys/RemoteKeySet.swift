public import GatehouseBase
public import GatehouseHTTP
import GatehouseQueues
import Synchronization

/// The keys that a server publishes, fetched when they are needed and kept as long as they are good.
///
///     the keys at hand are            who asks gets
///     fresh                           them, at once
///     near the end of their time      them, at once; a fetch begins that nobody waits for
///     past it                         new ones, or, if they cannot be fetched, the old ones up to the stale limit
///     none, or older than that        new ones, or `keysUnavailable`
///
/// One fetch at a time: whoever asks during one waits for it. A waiter who is cancelled is released at once, and the
/// fetch goes on for the others. A fetch that fails changes nothing of what is at hand. Names that are not known cause
/// one fetch in a cooldown at most. Refused are redirects to other servers, every status but 200, every type but JSON,
/// more than 256 KiB or 100 keys, and a set in which one key breaks a rule; keys of unknown kinds are skipped.
///
/// Any thread, all at once; readers of the keys at hand share no lock. The transport is called on
/// the SDK's own threads, the clocks there and on the caller's.
public final class RemoteKeySet: Sendable {
  /// Where the keys are.
  public let url: String
  public let options: RemoteKeyOptions
  let transport: any HTTPTransport
  let clocks: any Clocks
  let fetching: Lock<Fetching>
  /// What the transport may hold of the SDK's threads: one fetch at a time, and one that follows a stuck one.
  let threads = PoolShare(width: 2)
  let held = StripedSnapshot<KeySnapshot?> { nil }
  let epoch = Atomic<UInt64>(0)

  /// Fetches nothing yet. Throws `invalidArgument` if the address is none, and `insecureConnection` if it is plain HTTP
  /// to another machine.
  public init(
    url: String, transport: any HTTPTransport, clocks: any Clocks = SystemClocks(),
    options: RemoteKeyOptions = RemoteKeyOptions()
  ) throws(AuthError) {
    self.url = url
    self.transport = transport
    self.clocks = clocks
    self.options = options
    fetching = Lock(Fetching(ledger: FetchLedger(options)))
    guard options.isSound else { throw AuthError(.invalidArgument, "an option is not a duration from 0 to ten years") }
    _ = try request.check()
  }

  /// Rises whenever a key is gone, or another key or another use stands under its name: what was verified before may
  /// rest on a key that is trusted no more. Read without a lock.
  ///
  /// Read it before you take the keys that you verify with: then what you remember of the outcome is outdated at the
  /// latest when they are.
  public var keySetEpoch: UInt64 { epoch.load(ordering: .acquiring) }

  /// The keys at hand, `nil` if there are none or they are past the stale limit. Waits for nothing.
  public var current: JWKSet? { snapshotAtHand(at: clocks.now())?.keys }

  /// Keys that are fresh, or, while they cannot be fetched, old ones up to the stale limit.
  ///
  /// Throws `keysUnavailable` with the reason, and `retryAfter` where it is too soon to try again; `cancelled`.
  public func keys() async throws(AuthError) -> JWKSet { try await snapshot().keys }

  /// The key with a name, as bytes; fetched if it is not at hand and the cooldown allows.
  ///
  /// Throws `unknownKey` if there is no such key, or it is too soon to ask; `keysUnavailable` if it could not be asked.
  public func key(named keyID: String) async throws(AuthError) -> JWK {
    let atHand = try await keys()
    if let key = try? atHand.key(named: keyID) { return key }
    let now = clocks.now()
    let fetched: KeySnapshot
    do {
      fetched = try await fetch(at: now) { ledger throws(AuthError) in try ledger.checkLookup(of: keyID, at: now) }
    } catch {
      guard error.code == .unknownKey else { throw unavailable(error) }
      // A fetch may have ended since we looked.
      if let key = try? snapshotAtHand(at: now)?.keys.key(named: keyID) { return key }
      throw error
    }
    if let key = try? fetched.keys.key(named: keyID) { return key }
    throw fetching.withLock { $0.ledger.noteUnknown(keyID, at: now) }
  }

  /// Fetches the keys now, or waits for the fetch under way, whatever is at hand. The cooldown begins anew.
  public func refresh() async throws(AuthError) {
    do { _ = try await fetch(at: clocks.now()) { _ in } } catch { throw unavailable(error) }
  }

  /// What was done so far, and what is at hand. For people: takes a lock.
  public var statistics: RemoteKeyStatistics {
    let now = clocks.now()
    var statistics = fetching.withLock { $0.ledger.statistics }
    if let atHand = snapshotAtHand(at: now) {
      statistics.age = atHand.age(at: now)
      statistics.keys = atHand.keys.keys.count
      statistics.skipped = atHand.keys.skipped
    }
    return statistics
  }

  // MARK: What is at hand

  /// The keys at hand that may serve, with all that is known of them.
  func snapshotAtHand(at now: ClockReading) -> KeySnapshot? {
    guard let snapshot = held.value, snapshot.isUsable(at: now, staleIfError: options.staleIfError) else { return nil }
    return snapshot
  }

  /// What `keys()` gives, with all that is known of it.
  func snapshot() async throws(AuthError) -> KeySnapshot {
    let now = clocks.now()
    if let atHand = snapshotAtHand(at: now), atHand.isFresh(at: now) {
      if atHand.isDue(at: now) { fetchAhead(at: now) }
      return atHand
    }
    do {
      return try await fetch(at: now) { ledger throws(AuthError) in try ledger.checkRefresh(at: now) }
    } catch {
      guard error.code != .cancelled, let old = snapshotAtHand(at: clocks.now()) else { throw unavailable(error) }
      return old
    }
  }

  /// What a failed fetch means for who wanted keys.
  private func unavailable(_ error: AuthError) -> AuthError {
    guard error.code != .cancelled, error.code != .keysUnavailable else { return error }
    return AuthError(
      .keysUnavailable, "the keys could not be fetched: \(error.message) [\(error.code)]", retryAfter: error.retryAfter)
  }
}
