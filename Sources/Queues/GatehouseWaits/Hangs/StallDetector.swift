/// Detects from successive snapshots of a process that it hangs.
package struct StallDetector: Sendable {
  /// The evidence of the hang.
  package enum Sign: Sendable {
    /// These threads wait for each other. The rest of the program may be busy.
    case cycle([WatchedThread])
    /// For the limit, every thread of the process has waited for another one, and none has run.
    case stillness
    /// Blocks wait for a thread, every thread waits for another one, no block has ended for the limit, and Dispatch
    /// will never have enough threads.
    case exhaustion
    /// No recorded thread has waited for a resource, got one or released one for the limit. Other threads may be
    /// active.
    case silence
  }

  private let limit: UInt64
  /// The time, in nanoseconds, after which no further thread is expected. Dispatch adds one each second while all of
  /// them are blocked; if none has begun a block for this long, none will.
  private static let growth: UInt64 = 3_000_000_000
  private var latest: ProcessSnapshot?
  private var quietSince: UInt64 = 0
  private var ended: (count: UInt64, since: UInt64) = (0, 0)
  /// The waiting threads, and the time since which they are the same and none of them has run.
  private var still: (threads: [SystemThreads.Thread], since: UInt64)?
  private var wasStill = false
  /// Whether silence has been reported and still lasts.
  package private(set) var saidSilence = false

  /// - Parameter limit: the minimum duration of a wait that counts.
  package init(limit: Duration) {
    let seconds = limit / .seconds(1)
    self.limit = UInt64(exactly: (max(seconds, 0) * 1e9).rounded()) ?? .max
  }

  /// Examines the next snapshot of one process. Silence is reported once each time that it begins.
  ///
  /// - Parameter system: returns all threads of the process now; nil: unknown. Called only while the record shows no
  ///   progress, or an exhausted pool.
  package mutating func look(at snapshot: ProcessSnapshot, _ system: () -> SystemThreads? = { nil }) -> Sign? {
    defer { latest = snapshot }
    if snapshot.blocks.ended != ended.count || ended.since == 0 { ended = (snapshot.blocks.ended, snapshot.now) }
    if let cycle = cycle(in: snapshot) { return cycle }
    guard let latest, latest.progress == snapshot.progress else {
      quietSince = snapshot.now
      saidSilence = false
      still = nil
      wasStill = false
      guard snapshot.now - ended.since >= limit, snapshot.isExhausted(after: limit) else { return nil }
      return system().map(snapshot.isStill) == true ? .exhaustion : nil
    }
    let quiet = snapshot.now - quietSince
    // The next thread of the pool may be about to start.
    let mayGrow = quiet < Self.growth && snapshot.isStarved
    if let system = system(), snapshot.isStill(system) {
      wasStill = true
      if still?.threads != system.waiting { still = (system.waiting, snapshot.now) }
      let age = snapshot.now - (still?.since ?? snapshot.now)
      return age >= limit && quiet >= limit && !mayGrow ? .stillness : nil
    }
    // Dispatch's manager runs for a moment each second.
    let isMoment = wasStill
    wasStill = false
    guard !saidSilence, !isMoment, quiet >= limit, snapshot.isWaiting, !mayGrow else { return nil }
    saidSilence = true
    return .silence
  }

  /// A cycle counts if each of its waits has lasted for the limit, and none of its threads has moved since the last
  /// snapshot, because a record is read while it is written.
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
  /// Interprets a sign; nil if the process may only be slow and nothing is in demand.
  package func finding(_ sign: StallDetector.Sign, _ names: WaitNames) -> HangFinding? {
    let analysis = analysis
    func exhausted() -> WaitReport { analysis.exhausted(pending: Int(starved), names) }
    switch sign {
    case .cycle(let threads): return HangFinding(analysis.report(cycle: threads, names), isCertain: true)
    case .exhaustion: return HangFinding(analysis.blockedTasks(names, isPool) ?? exhausted(), isCertain: true)
    case .stillness:
      let report =
        analysis.blockedTasks(names, isPool) ?? analysis.undrained(names, countsBusy: false)
        ?? (isStarved ? exhausted() : nil) ?? analysis.heldUp(names) ?? analysis.unending(names)
      return HangFinding(report, isCertain: true)
    case .silence:
      let report =
        analysis.undrained(names, countsBusy: false) ?? (isStarved ? exhausted() : nil) ?? analysis.heldUp(names)
      return report.map { HangFinding($0, isCertain: false) }
    }
  }

  private func isPool(_ resource: WaitResource) -> Bool { classes.named(resource.classID)?.kind == .pool }
}
