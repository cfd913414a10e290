public import GatehouseBase
import GatehouseQueues

/// Remembers in memory what may be used once, up to a number of things: then it throws `replayStoreFull`, because to
/// forget one would be to let it be used again.
public final class MemoryReplayStore: ReplayStore {
  /// The most things that are remembered at once.
  public let limit: Int
  private let memory = Lock(Memory())

  public init(limit: Int = 100_000) { self.limit = max(limit, 1) }

  /// How many things are remembered.
  public var count: Int { memory.withLock { $0.expiries.count } }

  public func recordFirstUse(of name: [UInt8], until expiry: Double, at now: Double) throws(AuthError) -> Bool {
    let answer = memory.withLock { memory in memory.record(name, expiry, now, limit) }
    guard let answer else {
      throw AuthError(.replayStoreFull, "\(limit) things that may be used once are waiting for their end: give it room")
    }
    return answer
  }

  private struct Memory {
    var expiries: [[UInt8]: Double] = [:]
    /// When it is worth the time to look for what has expired.
    var nextSweep = -Double.infinity

    mutating func record(_ name: [UInt8], _ expiry: Double, _ now: Double, _ limit: Int) -> Bool? {
      if let end = expiries[name], end > now { return false }
      if now >= nextSweep || expiries.count >= limit {
        expiries = expiries.filter { $0.value > now }
        nextSweep = now + 10
      }
      guard expiries.count < limit else { return nil }
      expiries[name] = expiry
      return true
    }
  }
}
