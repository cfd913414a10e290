import GatehouseBase
import GatehouseQueues

/// Says when nothing moves any more although somebody waits.
struct StallWatch: Sendable {
  /// How it shows.
  enum Sign: Sendable {
    /// These threads wait for each other; the rest of the program may be busy.
    case circle([WatchedThread])
    /// Nobody has asked for anything, got or left anything for so long.
    case silence
    /// Blocks wait for a thread, every thread that runs one waits as well, none of them has ended for so long, and
    /// dispatch will never have as many threads as it takes.
    case exhaustion
  }

  private let limit: UInt64
  /// Dispatch adds a thread a second while all of them are blocked: if none has begun a block for so long, there will
  /// be none.
  private static let growth: UInt64 = 3_000_000_000
  private var latest: ProgramState?
  private var quietSince: UInt64 = 0
  private var ended: (count: UInt64, since: UInt64) = (0, 0)
  private var saidSilence = false

  /// - Parameter limit: how long a wait must have lasted, in seconds.
  init(limit: Double) { self.limit = UInt64(clamping: limit * 1e9) }

  /// Looks at the next state of one process. Silence is said once for each time that it falls.
  mutating func look(at state: ProgramState) -> Sign? {
    defer { latest = state }
    if state.record.ended != ended.count || ended.since == 0 { ended = (state.record.ended, state.now) }
    guard let latest, latest.progress == state.progress else {
      quietSince = state.now
      saidSilence = false
      if let circle = circle(in: state) { return circle }
      let isLong = state.now - ended.since >= limit
      return isLong && state.isExhausted(after: limit) ? .exhaustion : nil
    }
    if let circle = circle(in: state) { return circle }
    let quiet = state.now - quietSince
    guard !saidSilence, quiet >= limit, state.isWaiting else { return nil }
    // The next thread may be on its way.
    if quiet < Self.growth, state.isStarved { return nil }
    saidSilence = true
    return .silence
  }

  /// A circle counts when each of its waits has lasted that long, and none of its threads has moved since the last
  /// look: a record is read while it is written.
  private func circle(in state: ProgramState) -> Sign? {
    guard let circle = state.standstill.circle else { return nil }
    let ids = Set(circle.map(\.id))
    let isOld = state.threads.filter { ids.contains($0.id) }.allSatisfy { thread in
      thread.askingSince.map { state.now > $0 && state.now - $0 >= limit } ?? false
        && latest?.threads.contains { $0.id == thread.id && $0.events == thread.events } ?? false
    }
    return isOld ? .circle(circle) : nil
  }
}
