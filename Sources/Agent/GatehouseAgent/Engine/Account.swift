import GatehouseBase
import GatehouseCore
import GatehouseQueues

/// One account of an agent: its source, and the token that it lends.
///
/// An idle account has no queue, no thread, no timer and no task. Apart from its token, which is at hand with all
/// others, and its source it costs this object, and an entry in each of the tables and in the heap.
@WorkQueue
final class Account {
  nonisolated let name: String
  nonisolated let kind: String
  nonisolated let source: AccountSources.ID
  private nonisolated let atHand: TokensAtHand

  /// The clock reading when the latest fetch succeeded.
  var fetched: ClockReading?
  /// A random number in 0..<1 for each token, which places its refresh in the time before it is due.
  var unit = 0.5
  /// The number of failures since the latest success.
  var failures = 0
  /// The back-off, after a failure that may pass.
  var pause: Pause?
  /// The reason why only a person can help; `nil` if none is needed.
  var ending: AuthError?
  /// The flight that waits for a permit or is fetching.
  var current: Flight?
  /// The flight that begins when `current` has ended, for callers that need a later fetch.
  var next: Flight?
  var isRemoved = false
  /// The moment at which the account is due, on the boot clock; `nil` for none. The heap sets it.
  var due: Double?
  /// Counts the account's entries in the heap: only the latest one is valid.
  var version: UInt32 = 0
  private(set) var lane: FetchLane?
  /// The number of calls of the source that have not returned.
  private var calls = 0

  nonisolated init(_ name: String, kind: String, _ source: AccountSources.ID, lendingFrom atHand: TokensAtHand) {
    self.name = name
    self.kind = kind
    self.source = source
    self.atHand = atHand
  }

  /// The token that is lent, without its text.
  var token: KeptToken? { atHand.kept(name) }

  /// Returns the token if it lasts longer than `seconds`.
  func token(lasting seconds: Double, at now: ClockReading) -> LentToken? {
    atHand.token(of: name, lasting: seconds, at: now)
  }

  /// Returns the token, however long it lasts.
  func anyToken() -> LentToken? { atHand.lent(name) }

  /// Lends another token from now on; `nil` for none.
  func lend(_ token: LentToken?) { atHand.set(token, of: name) }

  /// Begins a call of the source, on a lane that is kept until the last call has returned.
  func beginCall() -> FetchLane {
    let lane = lane ?? FetchLane(of: name)
    self.lane = lane
    calls += 1
    return lane
  }

  func endCall() {
    calls -= 1
    if calls == 0 { lane = nil }
  }
}

/// The queue of an account's fetches: one after the other, on one thread of the pool at a time. A source that blocks
/// its thread holds up its own account only; after its timeout the thread is given up, and two more may be.
final class FetchLane: Sendable {
  let queue: SerialTaskQueue
  let threads = PoolShare(width: 1, maximumStuck: 2)

  init(of name: String) { queue = SerialTaskQueue(label: "gatehouse.agent.\(name)") }
}

/// One fetch of an account's token, and the callers that wait for it.
@WorkQueue
final class Flight {
  let account: Account
  let promise = Promise<Arrival, AuthError>()
  /// Whether the source was asked. From then on a forced refresh cannot join.
  var isSent = false

  init(_ account: Account) { self.account = account }
}

/// A token that a flight has brought.
struct Arrival: Sendable {
  let token: LentToken
  /// The clock reading at the end of the flight.
  let now: ClockReading
}
