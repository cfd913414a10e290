public import FoundationEssentials
public import GatehouseBase
import GatehouseQueues

/// Records uses in memory, up to a maximum for each share and for the whole store.
///
/// A full share rejects only its own uses, with `replayShareFull`. When the whole store is full, `whenFull` decides. No
/// use is accepted twice, whatever is full. Each use is remembered for a minute beyond its expiry, so that setting a
/// clock back by less than that does not allow a second use. A use is forgotten only when the boot clock says so too: a
/// wall clock that is wrong for a moment forgets nothing. `Docs/tokens.md` says how large a store must be.
public final class MemoryReplayStore: ReplayStore {
  /// The treatment of a new use when `maximumCount` uses are remembered.
  public enum WhenFull: Sendable, Hashable {
    /// It is rejected with `replayStoreFull`, until remembered uses expire.
    case refuse
    /// The uses that expire first are forgotten. From then on, every use that expires no later than one of them is
    /// rejected with `replayStoreFull`, because it may be a forgotten one. So proofs are accepted for a shorter time,
    /// but none is accepted twice.
    case shortenWindow
  }

  /// The maximum number of remembered uses.
  public let maximumCount: Int
  /// The maximum number of remembered uses for one share.
  public let maximumShare: Int
  /// The treatment of a new use when the whole store is full.
  public let whenFull: WhenFull
  private let clocks: any Clocks
  private let memory: Lock<Memory>

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - maximumCount: the maximum number of uses; values below 1 count as 1.
  ///   - maximumShare: the maximum number of uses that count against one share, clamped to 1 … `maximumCount`; `nil`
  ///     for a fiftieth of `maximumCount`. Uses without a share are limited only by `maximumCount`.
  ///   - whenFull: the treatment of a new use when the whole store is full.
  ///   - clocks: the boot clock that measures how long a use is remembered. The wall clock's time comes with each use.
  public init(
    maximumCount: Int = 100_000, maximumShare: Int? = nil, whenFull: WhenFull = .refuse,
    clocks: any Clocks = SystemClocks()
  ) {
    self.clocks = clocks
    self.maximumCount = max(maximumCount, 1)
    self.maximumShare = min(max(maximumShare ?? self.maximumCount / 50, 1), self.maximumCount)
    self.whenFull = whenFull
    memory = Lock(Memory(self.maximumCount, self.maximumShare, whenFull))
  }

  /// The number of remembered uses, some of which may have expired.
  public var count: Int { memory.withLock { $0.count } }

  /// Records a use without a share. Returns whether it was the first. Uses no queue.
  ///
  /// Throws `replayStoreFull` for a new name as `whenFull` says, and `invalidArgument` for a moment that is not finite.
  public func recordFirstUse(of name: [UInt8], until expiry: Date, at now: Date) throws(AuthError) -> Bool {
    try recordFirstUse(of: name, share: nil, until: expiry.wall, at: now.wall)
  }

  /// Records a use that counts against one share. Returns whether it was the first. Uses no queue.
  ///
  /// Besides the errors of `recordFirstUse(of:until:at:)`, throws `replayShareFull` for a new name if the share is
  /// full.
  public func recordFirstUse(
    of name: [UInt8], share: [UInt8], until expiry: Date, at now: Date
  ) throws(AuthError) -> Bool {
    try recordFirstUse(of: name, share: share, until: expiry.wall, at: now.wall)
  }

  /// Records a use, with times in seconds since 1970.
  package func recordFirstUse(
    of name: [UInt8], share: [UInt8]? = nil, until expiry: Double, at now: Double
  ) throws(AuthError) -> Bool {
    // With a time that is not a number, every use would be the first.
    guard now.isFinite, !expiry.isNaN else {
      throw AuthError(.invalidArgument, "the moment of a use must be a finite number of seconds")
    }
    let boot = clocks.now().boot
    switch memory.withLock({ $0.record(name, share, expiry, now, boot) }) {
    case .first: return true
    case .again: return false
    case .shareFull:
      throw AuthError(
        .replayShareFull,
        "this client's share of the replay store is full (\(maximumShare) remembered uses): send fewer proofs")
    case .full:
      throw AuthError(
        .replayStoreFull, "the replay store is full (\(maximumCount) remembered uses): raise its maximum")
    }
  }
}

/// The memory of a `MemoryReplayStore`.
private struct Memory {
  enum Answer { case first, again, shareFull, full }

  private struct Use {
    let expiry: Double
    /// The expiry by the boot clock.
    let bootExpiry: Double
    let share: [UInt8]?
  }

  /// The time for which uses are remembered beyond their expiry, in seconds.
  private static let grace: Double = 60

  private let maximumCount, maximumShare: Int
  private let whenFull: MemoryReplayStore.WhenFull
  private var uses: [[UInt8]: Use] = [:]
  /// The number of uses that count against each share.
  private var shares: [[UInt8]: Int] = [:]
  /// The time when expired uses were last removed.
  private var swept = -Double.infinity
  /// The latest expiry among the uses that were forgotten to make room.
  private var forgotten = -Double.infinity

  init(_ maximumCount: Int, _ maximumShare: Int, _ whenFull: MemoryReplayStore.WhenFull) {
    self.maximumCount = maximumCount
    self.maximumShare = maximumShare
    self.whenFull = whenFull
  }

  var count: Int { uses.count }

  mutating func record(
    _ name: [UInt8], _ share: [UInt8]?, _ expiry: Double, _ now: Double, _ boot: Double
  ) -> Answer {
    // Limited, because a sweep takes time for each remembered use, and attackers may fill the store.
    let pause: Double = uses.count < maximumCount && !isFull(share) ? 10 : 1
    if !(abs(now - swept) < pause) {
      keep { $0.expiry + Self.grace > now || $0.bootExpiry + Self.grace > boot }
      swept = now
    }
    guard uses[name] == nil else { return .again }
    guard !isFull(share) else { return .shareFull }
    guard expiry > forgotten else { return .full }
    if uses.count >= maximumCount {
      guard whenFull == .shortenWindow else { return .full }
      forgetFirstToExpire()
      guard expiry > forgotten else { return .full }
    }
    insert(name, share, expiry, boot + (expiry - now))
    return .first
  }

  private func isFull(_ share: [UInt8]?) -> Bool { share.map { shares[$0, default: 0] >= maximumShare } ?? false }

  private mutating func insert(_ name: [UInt8], _ share: [UInt8]?, _ expiry: Double, _ bootExpiry: Double) {
    guard let share else {
      uses[name] = Use(expiry: expiry, bootExpiry: bootExpiry, share: nil)
      return
    }
    shares[share, default: 0] += 1
    // All uses of a share refer to one array instead of a copy each.
    uses[name] = Use(
      expiry: expiry, bootExpiry: bootExpiry, share: shares.index(forKey: share).map { shares[$0].key })
  }

  /// Forgets the eighth of the uses that expires first, and records the expiry up to which proofs are now rejected.
  private mutating func forgetFirstToExpire() {
    let expiries = uses.values.map(\.expiry).sorted()
    let last = expiries[max(expiries.count / 8, 1) - 1]
    forgotten = max(forgotten, last)
    keep { $0.expiry > last }
  }

  private mutating func keep(_ isKept: (Use) -> Bool) {
    uses = uses.filter { isKept($0.value) }
    shares = uses.values.reduce(into: [:]) { shares, use in
      if let share = use.share { shares[share, default: 0] += 1 }
    }
  }
}
