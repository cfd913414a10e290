extension RecordAnalysis {
  /// The cycles in the dependencies of one record.
  struct Cycles {
    private(set) var cycles: [DependencyCycle] = []
    private(set) var knots: [(classes: Set<UInt32>, cut: [Dependency], isExact: Bool)] = []
    /// The classes of which one resource may represent another one in a cycle.
    var representing: Set<UInt32> { Set(cycles.flatMap(\.representing)).union(knots.flatMap(\.classes)) }
    /// The searches that would take too long, and were not made: one line each.
    private(set) var omissions: [String] = []
    /// Classes that lead to each other may be a knot if there are more of them than `maximumClasses`, and more pairs
    /// than a ring of them has, by `maximumSurplus`. They are a knot if they have more cycles than a person reads. The
    /// search for cycles ends after `maximumSteps`.
    private static let maximumClasses = 8, maximumSurplus = 8, maximumCycles = 8, maximumSteps = 400_000
    /// The number of pairs in a tangle for which a first cycle is looked for at most.
    private static let maximumTries = 64

    /// - Parameters:
    ///   - suspects: the dependencies that may be in a cycle.
    ///   - graph: the observations of their classes, without any dependency.
    init(_ suspects: [Dependency], in graph: Dependencies) {
      var graph = graph
      // Learn from all waits which classes nest before judging any wait.
      let waits = suspects.filter { $0.reason != .selfWait }
      for dependency in waits { graph.insert(dependency) }
      func within(_ classes: Set<UInt32>) -> (Dependency) -> Bool {
        { classes.contains($0.from.classID) && classes.contains($0.to.classID) }
      }
      var done: Set<UInt32> = [], doneInstances: Set<UInt64> = [], seen: Set<[UInt32]> = []
      func isDone(_ dependency: Dependency) -> Bool {
        within(done)(dependency)
          || doneInstances.contains(dependency.from.instance) && doneInstances.contains(dependency.to.instance)
      }
      for knot in Self.certainKnots(waits) {
        if knot.isOfClasses {
          tie(knot.classes, Self.pairs(knot.waits))
          done.formUnion(knot.classes)
        } else {
          for cycle in Self.examples(of: knot) where seen.insert(cycle.classIDs).inserted { cycles.append(cycle) }
          doneInstances.formUnion(knot.waits.flatMap { [$0.from.instance, $0.to.instance] })
        }
      }
      let rest = waits.filter { !isDone($0) }
      let tangles = Self.components(rest).map { ($0, Self.pairs(rest.filter(within($0)))) }
        .filter { $0.count > Self.maximumClasses && $1.count > $0.count + Self.maximumSurplus }
      // Every wait of a tangle closes a cycle, and looking for each would take minutes.
      let isTangled = within(Set(tangles.flatMap(\.0)))
      for dependency in rest where !isTangled(dependency) && graph.hasClasses(around: dependency) {
        _ = graph.cycle(through: dependency)
      }
      for (classes, pairs) in tangles {
        let (found, isWhole) = Self.cycles(of: pairs, in: &graph)
        if found.count > Self.maximumCycles {
          tie(classes, pairs)
          done.formUnion(classes)
        } else if !isWhole {
          for cycle in found where seen.insert(cycle.classIDs).inserted { cycles.append(cycle) }
          omissions.append("\(classes.count) resources lead to each other; not all of their cycles were looked for")
          done.formUnion(classes)
        }
      }
      for dependency in suspects {
        if dependency.reason != .selfWait, isDone(dependency) { continue }
        let found = dependency.reason == .selfWait ? graph.add(dependency) : graph.cycle(through: dependency)
        guard let found else { continue }
        if seen.insert(found.classIDs).inserted { cycles.append(found) }
        if graph.isInRing(dependency, of: found.dependencies.count) { done.formUnion(found.classIDs) }
      }
      let all = cycles
      cycles.removeAll { cycle in all.contains { cycle.contains($0) } }
      omissions += graph.omissions()
    }

    /// Adds a knot, with the waits to remove.
    private mutating func tie(_ classes: Set<UInt32>, _ pairs: [Dependency]) {
      let cut = Knot(edges: pairs.map { ($0.from.classID, $0.to.classID, 1) }).cut()
      knots.append((classes, cut.edges.map { pairs[$0] }, cut.isExact))
    }

    /// Resources that lead to each other with more cycles than a person reads.
    private struct CertainKnot {
      /// The waits between them that no guard keeps apart.
      let waits: [Dependency]
      let classes: Set<UInt32>
      /// Whether their classes have that many cycles, too. If not, most cycles are of the same few classes, such as
      /// accounts that are locked in any order.
      let isOfClasses: Bool
    }

    /// Finds knots without a search: their waits connect the same resources and have no guards that matter, so each way
    /// back is a cycle. A component has at least one cycle more than it has more pairs than resources.
    private static func certainKnots(_ waits: [Dependency]) -> [CertainKnot] {
      let plain = waits.filter {
        !$0.isSignal && !$0.isPrivate && !$0.hasLostGuards && !$0.from.isShared && !$0.to.isShared
          && $0.from.instance != $0.to.instance
      }
      let free = Region(plain) { _ in false }.links.filter { $0.guards.isEmpty && $0.guardingOrigin == nil }
        .map(\.dependency)
      func end(_ resource: WaitResource, _ isAsked: Bool) -> WaitOrder.Node {
        WaitOrder.Node(classID: resource.classID, instance: resource.instance, isAsked: isAsked, isShared: false)
      }
      func isKnot(_ resources: Int, _ pairs: Int) -> Bool {
        resources > 2 && pairs >= 2 * resources || resources > maximumClasses && pairs >= resources + maximumCycles
      }
      var order = WaitOrder()
      for wait in free { order.insert(end(wait.from, false), end(wait.to, true)) { _, _, _ in true } }
      let components = Dictionary(grouping: free) { order.component(of: end($0.from, false), end($0.to, true)) }
      return components.keys.compactMap(\.self).sorted().compactMap { component in
        let waits = components[component] ?? [], nodes = order.nodes(in: component)
        let classes = Set(nodes.map(\.classID)), instances = Set(nodes.map(\.instance))
        let isOfClasses = isKnot(classes.count, pairs(waits).count)
        let ends = Set(waits.map { [$0.from.instance, $0.to.instance] })
        guard isOfClasses || instances.count > maximumClasses && isKnot(instances.count, ends.count) else { return nil }
        return CertainKnot(waits: waits, classes: classes, isOfClasses: isOfClasses)
      }
    }

    /// A short cycle of a knot; where it has more than two classes, one for each pair of them that has one.
    private static func examples(of knot: CertainKnot) -> [DependencyCycle] {
      let onward = Dictionary(grouping: knot.waits) { $0.from.instance }
      /// The shortest way back from a wait to where it starts.
      func cycle(through first: Dependency) -> [Dependency]? {
        var ways: [(wait: Dependency, previous: Int?)] = [(first, nil)], seen: Set<UInt64> = [first.to.instance]
        var next = 0
        while next < ways.count {
          let at = next
          next += 1
          for wait in onward[ways[at].wait.to.instance] ?? [] {
            if wait.to.instance == first.from.instance {
              var way = [wait], index: Int? = at
              while let known = index {
                way.append(ways[known].wait)
                index = ways[known].previous
              }
              return way.reversed()
            }
            if seen.insert(wait.to.instance).inserted { ways.append((wait, at)) }
          }
        }
        return nil
      }
      let kinds = Dictionary(grouping: knot.waits) { [$0.from.classID, $0.to.classID] }
      let found = kinds.keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { kind in
        (kinds[kind] ?? []).prefix(maximumTries).compactMap(cycle).min { $0.count < $1.count }
      }
      let shortest = found.min { $0.count < $1.count }.map { [$0] } ?? []
      return (knot.classes.count > 2 ? found : shortest).map { DependencyCycle($0) }
    }

    /// Drops the dependencies that no cycle can contain, which are most: those between classes that do not lead back to
    /// each other.
    static func thatMayClose(_ dependencies: [Dependency]) -> [Dependency] {
      let order = order(dependencies)
      return dependencies.filter { order.component(of: end($0.from, false), end($0.to, true)) != nil }
    }

    /// The sets of classes that lead to each other, without single classes.
    private static func components(_ dependencies: [Dependency]) -> [Set<UInt32>] {
      let order = order(dependencies)
      let components = dependencies.compactMap { order.component(of: end($0.from, false), end($0.to, true)) }
      return Set(components).sorted().map { Set(order.nodes(in: $0).map(\.classID)) }.filter { $0.count > 1 }
    }

    /// The order of classes, each of which is one node.
    private static func order(_ dependencies: [Dependency]) -> WaitOrder {
      var order = WaitOrder()
      for dependency in dependencies {
        order.insert(end(dependency.from, false), end(dependency.to, true)) { _, _, _ in true }
      }
      return order
    }

    private static func end(_ resource: WaitResource, _ isAsked: Bool) -> WaitOrder.Node {
      WaitOrder.Node(classID: resource.classID, instance: 0, isAsked: isAsked, isShared: false)
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
}
