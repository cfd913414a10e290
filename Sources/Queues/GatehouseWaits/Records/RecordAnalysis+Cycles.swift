extension RecordAnalysis {
  /// The cycles in the dependencies of one record.
  struct Cycles {
    private(set) var cycles: [DependencyCycle] = []
    private(set) var knots: [(classes: Set<UInt32>, cut: [Dependency], isExact: Bool)] = []
    /// Classes that lead to each other, and in which not all cycles were looked for, because that would take too long.
    private(set) var unsearched: [Set<UInt32>] = []
    /// Classes that lead to each other may be a knot if there are more of them than `maximumClasses`, and more pairs
    /// than a ring of them has, by `maximumSurplus`. They are a knot if they have more cycles than a person reads. The
    /// search for cycles ends after `maximumSteps`.
    private static let maximumClasses = 8, maximumSurplus = 8, maximumCycles = 8, maximumSteps = 200_000
    /// The number of pairs in a tangle for which a first cycle is looked for at most.
    private static let maximumTries = 64

    /// - Parameters:
    ///   - suspects: the dependencies that may be in a cycle.
    ///   - graph: the observations of their classes, without any dependency.
    init(_ suspects: [Dependency], in graph: Dependencies) {
      var graph = graph
      let waits = suspects.filter { $0.reason != .selfWait }
      func within(_ classes: Set<UInt32>) -> (Dependency) -> Bool {
        { classes.contains($0.from.classID) && classes.contains($0.to.classID) }
      }
      let tangles = Components(waits).all.map { ($0, Self.pairs(waits.filter(within($0)))) }
        .filter { $0.count > Self.maximumClasses && $1.count > $0.count + Self.maximumSurplus }
      let isTangled = within(Set(tangles.flatMap(\.0)))
      // Learn from all waits which classes nest before judging any wait. In a tangle every wait closes a cycle, and
      // looking for each would take minutes.
      for dependency in waits where isTangled(dependency) { graph.insert(dependency) }
      for dependency in waits where !isTangled(dependency) { _ = graph.add(dependency) }
      var knotted: Set<UInt32> = []
      var seen: Set<[UInt32]> = []
      for (classes, pairs) in tangles {
        let (found, isWhole) = Self.cycles(of: pairs, in: &graph)
        if found.count > Self.maximumCycles {
          let cut = Knot(edges: pairs.map { ($0.from.classID, $0.to.classID, 1) }).cut()
          knots.append((classes, cut.edges.map { pairs[$0] }, cut.isExact))
          knotted.formUnion(classes)
        } else if !isWhole {
          for cycle in found where seen.insert(cycle.classIDs).inserted { cycles.append(cycle) }
          unsearched.append(classes)
          knotted.formUnion(classes)
        }
      }
      let isInKnot = within(knotted)
      for dependency in suspects {
        if isInKnot(dependency), dependency.reason != .selfWait { continue }
        let found = dependency.reason == .selfWait ? graph.add(dependency) : graph.cycle(through: dependency)
        if let found, seen.insert(found.classIDs).inserted { cycles.append(found) }
      }
    }

    /// The cycles through the pairs, at most one more than a person reads, and whether all pairs were searched.
    private static func cycles(
      of pairs: [Dependency], in graph: inout Dependencies
    ) -> (cycles: [DependencyCycle], isWhole: Bool) {
      var cycles: [DependencyCycle] = []
      let last = graph.steps + maximumSteps
      for (tries, dependency) in pairs.enumerated() {
        guard graph.steps < last || (cycles.isEmpty && tries < maximumTries) else { return (cycles, false) }
        guard let found = graph.cycle(through: dependency), !found.isKeptApartByMain else { continue }
        if !cycles.contains(where: { $0.classIDs == found.classIDs }) { cycles.append(found) }
        if cycles.count > maximumCycles { break }
      }
      return (cycles, true)
    }

    /// The first dependency of each pair of different classes.
    private static func pairs(_ dependencies: [Dependency]) -> [Dependency] {
      var seen: Set<[UInt32]> = []
      return dependencies.filter { dependency in
        dependency.from.classID != dependency.to.classID
          && seen.insert([dependency.from.classID, dependency.to.classID]).inserted
      }
    }
  }

  /// The sets of classes that lead to each other: the strongly connected components, without single classes.
  private struct Components {
    private(set) var all: [Set<UInt32>] = []

    init(_ dependencies: [Dependency]) {
      let forwards = Dictionary(grouping: dependencies, by: \.from.classID).mapValues { Set($0.map(\.to.classID)) }
      let backwards = Dictionary(grouping: dependencies, by: \.to.classID).mapValues { Set($0.map(\.from.classID)) }
      var left = Set(forwards.keys).intersection(backwards.keys)
      while let start = left.min() {
        let component = Self.reached(from: start, forwards, left).intersection(
          Self.reached(from: start, backwards, left))
        left.subtract(component)
        if component.count > 1 { all.append(component) }
      }
    }

    private static func reached(from start: UInt32, _ edges: [UInt32: Set<UInt32>], _ left: Set<UInt32>) -> Set<UInt32>
    {
      var found: Set<UInt32> = [start]
      var next = [start]
      while let one = next.popLast() {
        for other in edges[one] ?? [] where left.contains(other) && found.insert(other).inserted { next.append(other) }
      }
      return found
    }
  }
}
