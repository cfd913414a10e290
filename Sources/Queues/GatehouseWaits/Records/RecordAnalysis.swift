/// The findings in the record of one process: cycles of waits, and waits whose giver is unknown.
package struct RecordAnalysis: Sendable {
  /// The reports of all cycles, in the order in which they closed. Their names are prepared.
  package let reports: [WaitReport]
  /// Observations that are worth knowing but no findings: cycles that only the main queue keeps apart.
  package let notes: [WaitReport]
  /// The parts that could not be analyzed in time, one line each.
  package let omissions: [String]
  private let classes: [RecordedClass]
  private let waits: [UnattributedWait]
  private let names: WaitNames
  /// Classes of signals whose givers are known.
  private let attributed: Set<UInt32>

  /// - Parameters:
  ///   - mainIsNoGuard: whether cycles that only the main queue keeps apart are reports, and not notes.
  ///   - isEnded: whether the search shall end with what it has found so far.
  package init(
    classes: [RecordedClass], dependencies: [Dependency], waits: [UnattributedWait], names: WaitNames,
    mainIsNoGuard: Bool = false, isEnded: @escaping @Sendable () -> Bool = { false }
  ) {
    func isNoLock(_ id: UInt32) -> Bool { classes.named(id)?.isNoLock ?? false }
    let known = dependencies.filter { !isNoLock($0.from.classID) && !isNoLock($0.to.classID) }
      .map { $0.without { classes.named($0.classID)?.isNoGuard ?? false } }
    let suspects = Cycles.thatMayClose(known)
    var graph = Dependencies(isEnded: isEnded)
    // Learn from all classes which of them have barriers or are unrelated before judging any dependency.
    for (index, known) in classes.enumerated() {
      if known.hasBarriers { _ = graph.noteBarrier(UInt32(index + 1)) }
      if known.isUnrelated { graph.noteUnrelated(UInt32(index + 1)) }
    }
    let found = Self.cycles(in: suspects, of: known, graph, classes, names)
    names.prepare(
      (found.cycles.flatMap(\.dependencies) + found.knots.flatMap(\.cut)).flatMap { dependency in
        dependency.heldAt + dependency.waitedAt
          + [dependency.from, dependency.to].flatMap { classes.named($0.classID)?.makers ?? [] }
      })
    let knots = found.knots.map { WaitReport(knot: $0.cut, isExact: $0.isExact, of: $0.classes, names) }
    let all =
      knots
      + found.cycles.map { cycle in
        WaitReport(
          cycle: cycle, names, isApartByMain: cycle.isKeptApartByMain && !mainIsNoGuard,
          isDoubtful: cycle.classIDs.contains { classes.named($0)?.isDoubtful ?? false })
      }
    reports = all.filter { !$0.isNote }
    notes = all.filter(\.isNote)
    omissions = found.omissions
    attributed = Set(
      known.compactMap { dependency in
        if case .signal(let resource) = dependency.reason { resource.classID } else { nil }
      })
    self.classes = classes
    self.waits = waits
    self.names = names
  }

  /// The cycles in the suspects. If classes represent resources in them, those of their kinds are named: some may be of
  /// one family. Other classes are not named, because a look at debug information takes long.
  private static func cycles(
    in suspects: [Dependency], of known: [Dependency], _ graph: Dependencies, _ classes: [RecordedClass],
    _ names: WaitNames
  ) -> Cycles {
    var found = Cycles(suspects, in: graph), named: Set<UInt32> = []
    func kind(_ id: UInt32) -> RecordedClass.Kind? { classes.named(id)?.kind }
    while true {
      let kinds = Set(found.representing.compactMap(kind))
      let nested = known.filter { kind($0.from.classID) == kind($0.to.classID) }
        .flatMap { [$0.from.classID, $0.to.classID] }
      let new = Set(nested + found.representing).filter { id in
        kind(id).map { kinds.contains($0) } == true && classes.named(id)?.address == 0
      }.subtracting(named)
      guard !new.isEmpty else { return found }
      named.formUnion(new)
      let families = names.families(named.sorted())
      guard !families.isEmpty else { continue }
      var graph = graph
      for family in families { for id in family { graph.noteFamily(family[0], of: id) } }
      for dependency in known { graph.learnNesting(from: dependency) }
      found = Cycles(suspects, in: graph)
    }
  }

  private func makers(of hold: WatchedThread.Hold?) -> [UInt] {
    hold.flatMap { classes.named($0.resource.classID)?.makers } ?? []
  }

  /// Reports of blocked threads of Swift's cooperative pool: worth knowing, but no deadlock.
  package var blocked: [WaitReport] {
    let blocked = waits.filter(\.isCooperative)
    names.prepare(blocked.flatMap { $0.asked.frames + makers(of: $0.asked) })
    return blocked.map { wait in
      WaitReport(
        blockedPoolThread: wait.thread, waitsFor: names.resourceClass(wait.asked.resource.classID),
        at: names.stack(wait.asked.frames))
    }
  }

  /// Waits for signals with an unknown giver while something was held, one line each.
  package var unattributed: [String] {
    let unknown = waits.filter { $0.held != nil && !attributed.contains($0.asked.resource.classID) }
    names.prepare(unknown.flatMap { $0.asked.frames + makers(of: $0.held) + makers(of: $0.asked) })
    return unknown.compactMap { wait in
      guard let held = wait.held else { return nil }
      let at = names.stack(wait.asked.frames).frames.first.map { " at \($0)" } ?? ""
      let heldName = names.resourceClass(held.resource.classID).name
      return "\(heldName) held, \(names.resourceClass(wait.asked.resource.classID).name) waited for\(at)"
    }
  }
}
