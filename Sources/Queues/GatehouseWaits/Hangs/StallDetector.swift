/// Detects, from one snapshot of a process after another, that it hangs.
package struct StallDetector: Sendable {
  /// What shows the hang.
  package enum Sign: Sendable {
    /// These threads wait for each other. The rest of the program may be busy.
    case cycle([WatchedThread])
    /// No thread has waited for a resource, got one or released one for the limit.
    case silence
    /// Blocks wait for a thread, every thread that runs one waits as well, none has ended for the limit, and Dispatch
    /// will never have as many threads as it takes.
    case exhaustion
  }

  private let limit: UInt64
  /// Dispatch adds a thread a second while all of them are blocked. If none has begun a block for this long, in
  /// nanoseconds, none will.
  private static let growth: UInt64 = 3_000_000_000
  private var latest: ProcessSnapshot?
  private var quietSince: UInt64 = 0
  private var ended: (count: UInt64, since: UInt64) = (0, 0)
  private var saidSilence = false

  /// - Parameter limit: how long a wait must have lasted.
  package init(limit: Duration) {
    let seconds = limit / .seconds(1)
    self.limit = UInt64(exactly: (max(seconds, 0) * 1e9).rounded()) ?? .max
  }

  /// Takes in the next snapshot of one process. Silence is reported once each time that it begins.
  package mutating func look(at snapshot: ProcessSnapshot) -> Sign? {
    defer { latest = snapshot }
    if snapshot.blocks.ended != ended.count || ended.since == 0 { ended = (snapshot.blocks.ended, snapshot.now) }
    guard let latest, latest.progress == snapshot.progress else {
      quietSince = snapshot.now
      saidSilence = false
      if let cycle = cycle(in: snapshot) { return cycle }
      let isLong = snapshot.now - ended.since >= limit
      return isLong && snapshot.isExhausted(after: limit) ? .exhaustion : nil
    }
    if let cycle = cycle(in: snapshot) { return cycle }
    let quiet = snapshot.now - quietSince
    guard !saidSilence, quiet >= limit, snapshot.isWaiting else { return nil }
    // The next thread may be about to start.
    if quiet < Self.growth, snapshot.isStarved { return nil }
    saidSilence = true
    return .silence
  }

  /// A cycle counts if each of its waits has lasted for the limit, and none of its threads has moved since the last
  /// snapshot: a record is read while it is written.
  private func cycle(in snapshot: ProcessSnapshot) -> Sign? {
    guard let cycle = snapshot.analysis.cycle else { return nil }
    let ids = Set(cycle.map(\.id))
    let isOld = snapshot.threads.filter { ids.contains($0.id) }.allSatisfy { thread in
      thread.waitingSince.map { snapshot.now > $0 && snapshot.now - $0 >= limit } ?? false
        && latest?.threads.contains { $0.id == thread.id && $0.events == thread.events } ?? false
    }
    return isOld ? .cycle(cycle) : nil
  }
}

extension ProcessSnapshot {
  /// What a sign means; nil if the process may only be slow and nothing is in demand.
  package func finding(_ sign: StallDetector.Sign, _ names: WaitNames) -> HangFinding? {
    let analysis = analysis
    var exhausted: WaitReport { analysis.exhausted(pending: Int(starved), names) }
    switch sign {
    case .cycle(let threads): return HangFinding(analysis.report(cycle: threads, names), isCertain: true)
    case .exhaustion: return HangFinding(exhausted, isCertain: true)
    case .silence:
      if let report = analysis.undrained(names, countsBusy: false) ?? (isStarved ? exhausted : nil) {
        return HangFinding(report, isCertain: true)
      }
      return analysis.heldUp(names).map { HangFinding($0, isCertain: false) }
    }
  }
}
