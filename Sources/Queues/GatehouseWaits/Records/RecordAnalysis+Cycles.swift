extension RecordAnalysis {
  /// What the dependencies of one record show.
  struct Cycles {
    private(set) var cycles: [DependencyCycle] = []
    private(set) var knots: [(classes: Set<UInt32>, cut: [Dependency], isExact: Bool)] = []
    /// More pairs of classes than this for each class, in more classes than that, are a knot: it has more cycles than a
    /// person reads.
    private static let maximumPairs = 3, maximumClasses = 8
    /// In how many places of a knot a cycle is looked for.
    private static let maximumTries = 64

    /// - Parameter suspects: the dependencies that may be in a cycle, all of which are in the graph.
    init(_ suspects: [Dependency], in graph: Dependencies) {
      var graph = graph
      var knotted: Set<UInt32> = []
      for component in Components(suspects.filter { $0.reason != .selfWait }).all {
        let inside = suspects.filter { component.contains($0.from.classID) && component.contains($0.to.classID) }
        guard let knot = Self.knot(of: component, inside, &graph) else { continue }
        knots.append(knot)
        knotted.formUnion(component)
      }
      var seen: Set<[UInt32]> = []
      for dependency in suspects {
        let isInKnot = knotted.contains(dependency.from.classID) && knotted.contains(dependency.to.classID)
        if isInKnot, dependency.reason != .selfWait { continue }
        let found = dependency.reason == .selfWait ? graph.add(dependency) : graph.cycle(through: dependency)
        if let found, seen.insert(found.classIDs).inserted { cycles.append(found) }
      }
    }

    /// Nil if the classes are few, or are no knot, or no cycle of them can happen.
    private static func knot(
      of classes: Set<UInt32>, _ dependencies: [Dependency], _ graph: inout Dependencies
    ) -> (classes: Set<UInt32>, cut: [Dependency], isExact: Bool)? {
      guard classes.count > maximumClasses else { return nil }
      var first: [[UInt32]: Int] = [:]
      for (index, dependency) in dependencies.enumerated() where dependency.from.classID != dependency.to.classID {
        let pair = [dependency.from.classID, dependency.to.classID]
        if first[pair] == nil { first[pair] = index }
      }
      guard first.count > maximumPairs * classes.count else { return nil }
      let canHappen = dependencies.prefix(maximumTries).contains { dependency in
        graph.cycle(through: dependency).map { !$0.isKeptApartByMain } ?? false
      }
      guard canHappen else { return nil }
      let pairs = first.values.sorted().map { dependencies[$0] }
      let cut = Knot(edges: pairs.map { ($0.from.classID, $0.to.classID, 1) }).cut()
      return (classes, cut.edges.map { pairs[$0] }, cut.isExact)
    }
  }

  /// The classes that lead to each other: the strongly connected components, without single ones.
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
