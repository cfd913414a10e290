extension Dependencies {
  /// The connection of one dependency to the next one.
  private enum Joint { case none, sameResource, sameClass }

  private func joint(_ dependency: Dependency, _ next: Dependency, _ scope: UInt64) -> Joint {
    guard dependency.to.classID == next.from.classID else { return .none }
    if dependency.to.isShared, next.from.isShared, !withBarriers.contains(dependency.to.classID, in: scope) {
      return .none
    }
    if dependency.to.instance == next.from.instance {
      if let givenAt = dependency.givenAt, next.number > givenAt { return .none }
      return isCovered(next, behind: dependency) ? .none : .sameResource
    }
    return provesByClass(dependency.to.classID, in: scope) ? .sameClass : .none
  }

  /// Whether a signal leads to the same resource without this wait, because its giver still held the resource when it
  /// gave the signal. Then the wait of the giver's block or thread for that resource adds nothing to the signal, and
  /// signals alone form no cycle.
  private func isCovered(_ dependency: Dependency, behind signal: Dependency) -> Bool {
    guard signal.isSignal, !dependency.isSignal else { return false }
    return outgoing[signal.from.classID]?[signal.from.instance].contains {
      $0.reason == signal.reason && $0.to.instance == dependency.to.instance
    } ?? false
  }

  /// The shortest cycle through an added dependency, judged by all observations so far. A cycle that only the main
  /// queue keeps apart comes last.
  package mutating func cycle(through dependency: Dependency, _ scopes: Set<UInt64> = []) -> DependencyCycle? {
    guard !dependency.isPrivate else { return nil }
    let scopes = dependency.scope == 0 ? [0] + scopes.sorted() : [dependency.scope]
    for isKeptApartByMain in [false, true] {
      for scope in scopes {
        guard let found = cycle(through: dependency, of: scope, acrossMain: isKeptApartByMain) else { continue }
        return DependencyCycle(found, scope: scope, isKeptApartByMain: isKeptApartByMain)
      }
    }
    return nil
  }

  private mutating func cycle(
    through dependency: Dependency, of scope: UInt64, acrossMain: Bool
  ) -> [Dependency]? {
    guard let region = region(of: dependency, scope), !acrossMain || region.hasMain else { return nil }
    // Look for cycles of instances first. A path with a single connection by class is nesting, which is recorded.
    let first = search(from: dependency, in: region, of: scope, acrossMain: acrossMain) { $0 <= 1 }
    for found in first where found.loose == 0 { return found.dependencies }
    guard !region.classes.isEmpty else { return nil }
    for found in first {
      for (dependency, next) in zip(found.dependencies, found.dependencies.dropFirst() + found.dependencies.prefix(1))
      where joint(dependency, next, scope) == .sameClass { learnNesting(dependency.to.classID, in: scope) }
    }
    guard let region = self.region(of: dependency, scope) else { return nil }
    return search(from: dependency, in: region, of: scope, acrossMain: acrossMain) { _ in true }
      .first { $0.loose != 1 }?.dependencies
  }

  /// Paths from a dependency back to itself, the shortest first: at most one for each count of loose joints below
  /// three. A joint is loose if it connects by class only.
  ///
  /// Two paths that end alike, and whose threads hold what excludes the same waits of the region, are continued once.
  /// That loses no cycle: if the longer path leads back only because it avoids a resource of the shorter one, then the
  /// shorter one leads back from that resource.
  ///
  /// - Parameter acrossMain: finds the cycles that only the main queue keeps apart, instead of the others.
  private mutating func search(
    from start: Dependency, in region: Region, of scope: UInt64, acrossMain: Bool, where allows: (Int) -> Bool
  ) -> [(dependencies: [Dependency], loose: Int)] {
    /// The kinds of the waits: whether any is for a signal, whether any is for a signal that is no answer, and whether
    /// any is for something else.
    struct Signals: Hashable {
      private(set) var any = false, hasTurn = false, hasOther = false

      /// Whether the waits prove something: threads that signal each other in turn never wait at once.
      var prove: Bool { hasOther || !hasTurn }

      func and(_ dependency: Dependency) -> Signals {
        var both = self
        both.any = any || dependency.isSignal
        both.hasTurn = hasTurn || dependency.isSignal && !dependency.isAnswer
        both.hasOther = hasOther || !dependency.isSignal
        return both
      }
    }
    struct Path { let link: Int, previous: Int?, loose: Int, holds: Holds, signals: Signals }
    struct Mark: Hashable { let end, loose: Int, holds: Holds, signals: Signals }
    let first = region.link(start)
    func link(_ path: Path) -> Region.Link { path.previous == nil ? first : region.links[path.link] }
    var paths = [
      Path(
        link: 0, previous: nil, loose: 0, holds: Holds(first), signals: Signals().and(start))
    ]
    var marks: Set<Mark> = []
    var found: [(dependencies: [Dependency], loose: Int)] = []
    /// The resources from which the waits of any path start.
    var visited: Set<UInt64> = [start.from.instance]
    var next = 0
    while next < paths.count {
      let path = paths[next], dependency = link(path).dependency
      defer { next += 1 }
      let closing = joint(dependency, start, scope)
      if closing != .none, path.signals.prove, path.holds.sharesMain == acrossMain {
        let loose = min(path.loose + (closing == .sameClass ? 1 : 0), 2)
        let isApart = loose == 2 && path.holds.sharesClass
        if allows(loose), !isApart, !(path.signals.any && loose > 0), !found.contains(where: { $0.loose == loose }) {
          if path.holds.isUncertain {
            if loose != 1 { uncertain.insert([start.from.classID, start.to.classID].sorted()) }
          } else {
            var cycle: [Dependency] = []
            var index: Int? = next
            while let at = index {
              cycle.append(link(paths[at]).dependency)
              index = paths[at].previous
            }
            found.append((cycle.reversed(), loose))
            // The shortest cycle of instances is what every caller wants first.
            if loose == 0 { return found }
          }
        }
      }
      for number in region.links(from: dependency.to) {
        guard paths.count < WaitBounds.pathsOfASearch, mayStep() else {
          unfinished += 1
          return found
        }
        let candidate = region.links[number]
        let joint = joint(dependency, candidate.dependency, scope)
        guard joint != .none, var holds = path.holds.and(candidate) else { continue }
        if let origin = candidate.dependency.origin, visited.contains(origin.instance) {
          var earlier: Int? = next, together: Holds? = holds
          while let at = earlier, let known = together {
            if let other = link(paths[at]).dependency.origin, other.instance == origin.instance {
              together = known.meeting(origin, other)
            }
            earlier = paths[at].previous
          }
          guard let together else { continue }
          holds = together
        }
        guard acrossMain || !holds.sharesMain else { continue }
        let loose = min(path.loose + (joint == .sameClass ? 1 : 0), 2)
        let signals = path.signals.and(candidate.dependency)
        // The giver of a signal was observed for these very instances. An observation of one completion proves nothing
        // about another, even if both were made at one place.
        guard allows(loose), !(signals.any && loose > 0) else { continue }
        guard marks.insert(Mark(end: candidate.end, loose: loose, holds: holds, signals: signals)).inserted else {
          continue
        }
        visited.insert(candidate.dependency.from.instance)
        paths.append(Path(link: number, previous: next, loose: loose, holds: holds, signals: signals))
      }
    }
    return found
  }
}
