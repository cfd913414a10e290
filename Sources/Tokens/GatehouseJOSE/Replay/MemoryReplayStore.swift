public import FoundationEssentials
public import GatehouseBase
import GatehouseQueues

/// Remembers uses in memory, up to a maximum number. Then it throws `replayStoreFull`, because a forgotten name could
/// be used again.
///
/// Each is remembered for a minute beyond its end, so that a clock that is set back by less lets nothing in twice.
public final class MemoryReplayStore: ReplayStore {
  /// The most things that are remembered at once.
  public let maximumCount: Int
  private let memory = Lock(Memory())

  /// An empty store. A maximum below 1 is 1.
  public init(maximumCount: Int = 100_000) { self.maximumCount = max(maximumCount, 1) }

  /// How many things are remembered, of which some may be over.
  public var count: Int { memory.withLock { $0.expiries.count } }

  /// Records a use, and answers whether it was the first. Takes no queue.
  ///
  /// Throws `replayStoreFull` for a new name when `maximumCount` names are remembered, and `invalidArgument` for a
  /// moment that is not finite.
  public func recordFirstUse(of name: [UInt8], until expiry: Date, at now: Date) throws(AuthError) -> Bool {
    try recordFirstUse(of: name, until: expiry.wall, at: now.wall)
  }

  /// Records a use, with moments in seconds since 1970.
  package func recordFirstUse(of name: [UInt8], until expiry: Double, at now: Double) throws(AuthError) -> Bool {
    // A moment that is no number would make every use the first.
    guard now.isFinite, !expiry.isNaN else {
      throw AuthError(.invalidArgument, "the moment of a use must be a finite number of seconds")
    }
    let answer = memory.withLock { memory in memory.record(name, expiry, now, maximumCount) }
    guard let answer else {
      throw AuthError(
        .replayStoreFull, "the replay store is full (\(maximumCount) remembered uses): raise its maximum")
    }
    return answer
  }

  private struct Memory {
    var expiries: [[UInt8]: Double] = [:]
    /// When expired names were last removed.
    private var swept = -Double.infinity

    mutating func record(_ name: [UInt8], _ expiry: Double, _ now: Double, _ maximumCount: Int) -> Bool? {
      // Not more often: a look costs time for each name that is remembered, and attackers may fill the store.
      let pause: Double = expiries.count < maximumCount ? 10 : 1
      if !(abs(now - swept) < pause) {
        expiries = expiries.filter { $0.value + MemoryReplayStore.grace > now }
        swept = now
      }
      guard expiries[name] == nil else { return false }
      guard expiries.count < maximumCount else { return nil }
      expiries[name] = expiry
      return true
    }
  }

  /// How long things are remembered beyond their end, in seconds.
  private static let grace: Double = 60
}
