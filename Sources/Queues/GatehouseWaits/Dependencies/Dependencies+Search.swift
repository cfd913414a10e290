extension Dependencies {
  private static let maximumLength = 256
  private static let maximumPaths = 20_000

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

  /// The dependencies that may follow one that leads to a resource.
  private func dependencies(from resource: WaitResource, _ scope: UInt64) -> [Dependency] {
    guard let candidates = outgoing[resource.classID] else { return [] }
    return provesByClass(resource.classID, in: scope) ? candidates.all : candidates[resource.instance]
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
    // Look for cycles of instances first. A path with a single connection by class is nesting, which is recorded.
    let first = search(from: dependency, of: scope, acrossMain: acrossMain) { $0 <= 1 }
    for found in first where found.loose == 0 { return found.dependencies }
    for found in first {
      for (dependency, next) in zip(found.dependencies, found.dependencies.dropFirst() + found.dependencies.prefix(1))
      where joint(dependency, next, scope) == .sameClass { _ = nesting.insert(dependency.to.classID, in: scope) }
    }
    return search(from: dependency, of: scope, acrossMain: acrossMain) { _ in true }.first { $0.loose != 1 }?
      .dependencies
  }

  /// Paths from a dependency back to itself, the shortest first: at most one for each count of loose joints below
  /// three. A joint is loose if it connects by class only.
  ///
  /// - Parameter acrossMain: finds the cycles that only the main queue keeps apart, instead of the others.
  private mutating func search(
    from start: Dependency, of scope: UInt64, acrossMain: Bool, where allows: (Int) -> Bool
  ) -> [(dependencies: [Dependency], loose: Int)] {
    /// Whether all of the waits are for signals, and whether any is.
    struct Signals: Hashable { let all, any: Bool }
    struct Path { let dependency: Dependency, previous: Int?, loose: Int, length: Int, holds: Holds, signals: Signals }
    struct Mark: Hashable { let from, to: WaitResource, givenAt: UInt64?, loose: Int, holds: Holds, signals: Signals }
    var paths = [
      Path(
        dependency: start, previous: nil, loose: 0, length: 1, holds: Holds(start),
        signals: Signals(all: start.isSignal, any: start.isSignal))
    ]
    var marks: Set<Mark> = []
    var found: [(dependencies: [Dependency], loose: Int)] = []
    var next = 0
    while next < paths.count, paths.count < Self.maximumPaths {
      let path = paths[next]
      defer { next += 1 }
      steps += 1
      let closing = joint(path.dependency, start, scope)
      if closing != .none, !path.signals.all, path.holds.sharesMain == acrossMain {
        let loose = min(path.loose + (closing == .sameClass ? 1 : 0), 2)
        let isApart = loose == 2 && path.holds.sharesClass
        if allows(loose), !isApart, !(path.signals.any && loose > 0), !found.contains(where: { $0.loose == loose }) {
          var cycle: [Dependency] = []
          var index: Int? = next
          while let at = index {
            cycle.append(paths[at].dependency)
            index = paths[at].previous
          }
          found.append((cycle.reversed(), loose))
          // The shortest cycle of instances is what every caller wants first.
          if loose == 0 { return found }
        }
      }
      guard path.length < Self.maximumLength else { continue }
      for dependency in dependencies(from: path.dependency.to, scope)
      where !dependency.isPrivate && (dependency.scope == scope || dependency.scope == 0) {
        let joint = joint(path.dependency, dependency, scope)
        guard joint != .none, let holds = path.holds.and(dependency), acrossMain || !holds.sharesMain else { continue }
        let loose = min(path.loose + (joint == .sameClass ? 1 : 0), 2)
        let signals = Signals(
          all: path.signals.all && dependency.isSignal, any: path.signals.any || dependency.isSignal)
        // The giver of a signal was observed for these very instances. An observation of one completion proves nothing
        // about another, even if both were made at one place.
        guard allows(loose), !(signals.any && loose > 0) else { continue }
        let mark = Mark(
          from: dependency.from, to: dependency.to, givenAt: dependency.givenAt, loose: loose, holds: holds,
          signals: signals)
        guard marks.insert(mark).inserted else { continue }
        paths.append(
          Path(
            dependency: dependency, previous: next, loose: loose, length: path.length + 1, holds: holds,
            signals: signals))
      }
    }
    return found
  }
}
