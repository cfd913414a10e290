import GatehouseWaits
import Testing

/// Which waits to remove to break many cycles at once.
struct KnotTests {
  /// Whether the edges have a cycle: nodes without incoming edges are removed until none is left.
  private func hasCycle(_ edges: [Knot.Edge]) -> Bool {
    var left = edges
    while true {
      let targets = Set(left.map(\.to))
      let next = left.filter { targets.contains($0.from) }
      if next.count == left.count { return !left.isEmpty }
      left = next
    }
  }

  private func rest(_ edges: [Knot.Edge], _ cut: Knot.Cut) -> [Knot.Edge] {
    edges.indices.filter { !cut.edges.contains($0) }.map { edges[$0] }
  }

  private func weight(_ edges: [Knot.Edge], _ cut: Knot.Cut) -> Int { cut.edges.reduce(0) { $0 + edges[$1].weight } }

  /// Pseudo-random edges between numbered nodes, the same in every run.
  private func someEdges(_ nodes: UInt32, _ count: Int, seed: UInt64) -> [Knot.Edge] {
    var state = seed
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    return (0..<count).map { _ in
      (from: UInt32(next(UInt64(nodes))), to: UInt32(next(UInt64(nodes))), weight: Int(next(3)) + 1)
    }
  }

  @Test func `a ring is cut at its lightest edge`() {
    let ring: [Knot.Edge] = [(7, 8, 3), (8, 9, 1), (9, 7, 2)]
    #expect(Knot(edges: ring).cut() == Knot.Cut(edges: [1], isExact: true))
  }

  @Test func `an edge that many rings share is the only one to cut`() {
    let rings: [Knot.Edge] = [(1, 2, 1), (2, 3, 1), (3, 1, 1), (2, 4, 1), (4, 1, 1), (2, 5, 1), (5, 1, 1)]
    #expect(Knot(edges: rings).cut() == Knot.Cut(edges: [0], isExact: true))
  }

  @Test func `edges without a cycle are kept, and an edge to itself is not`() {
    #expect(Knot(edges: []).cut() == Knot.Cut(edges: [], isExact: true))
    #expect(Knot(edges: [(1, 2, 1), (1, 3, 1), (2, 3, 1)]).cut().edges.isEmpty)
    #expect(Knot(edges: [(1, 2, 1), (2, 2, 5)]).cut() == Knot.Cut(edges: [1], isExact: true))
  }

  @Test(arguments: 1...20) func `a cut of few nodes ends all cycles, and none is lighter`(seed: Int) {
    let edges = someEdges(5, 9, seed: UInt64(seed))
    let cut = Knot(edges: edges).cut()
    #expect(cut.isExact && !hasCycle(rest(edges, cut)))
    // Tries all sets of edges.
    let lightest = (0..<1 << edges.count).filter { set in
      !hasCycle(edges.indices.filter { set & (1 << $0) == 0 }.map { edges[$0] })
    }.map { set in edges.indices.filter { set & (1 << $0) != 0 }.reduce(0) { $0 + edges[$1].weight } }.min()
    #expect(weight(edges, cut) == lightest)
  }

  @Test func `twenty nodes are cut exactly, and twenty-one as well as the steps allow`() {
    let ring = { (count: UInt32) in (0..<count).map { (from: $0, to: ($0 + 1) % count, weight: 1) } as [Knot.Edge] }
    let exact = Knot(edges: ring(20)).cut(within: 0)
    #expect(exact.isExact && exact.edges.count == 1)
    let good = Knot(edges: ring(21)).cut()
    #expect(!good.isExact && good.edges.count == 1)
  }

  @Test func `sixty queues that all wait for one another have one cut, the same each time`() {
    // Every queue waits for every later one, and a few of the later ones wait for earlier ones.
    let onward = (0..<60).flatMap { from in (from + 1..<60).map { (from: UInt32(from), to: UInt32($0), weight: 1) } }
    let back: [Knot.Edge] = [(59, 0, 1), (40, 10, 1), (30, 29, 1)]
    let edges: [Knot.Edge] = onward + back
    let cut = Knot(edges: edges).cut()
    #expect(cut == Knot.Cut(edges: Array(onward.count..<edges.count), isExact: false))
    let both: [Knot.Edge] = onward + onward.map { (from: $0.to, to: $0.from, weight: 1) }
    let half = Knot(edges: both).cut(within: 100_000)
    #expect(half.edges.count == onward.count && !hasCycle(rest(both, half)))
    let some = someEdges(60, 300, seed: 5)
    #expect(Knot(edges: some).cut() == Knot(edges: some).cut())
    #expect(!hasCycle(rest(some, Knot(edges: some).cut(within: 0))))
  }
}
