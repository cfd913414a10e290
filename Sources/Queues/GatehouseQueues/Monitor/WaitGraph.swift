/// Waits that close a circle.
package struct WaitCycle: Sendable {
  package let edges: [WaitEdge]
  package let scope: UInt64
}

/// Who was seen to wait for whom, and the cycles in it: each is a deadlock that can happen, whether or not it did.
///
/// Like the kernel's lockdep it reasons about *classes*: one run in which a queue of the one class waited for a queue
/// of the other, and one in which it was the other way round, are enough. It never guesses. These rules keep it silent
/// about what cannot hang:
///
/// - Two that hold a thing together do not wait for each other: a concurrent queue counts only when barriers use it.
/// - Where things of one class were seen to nest (a tree of queues that share a label), their class says nothing, and
///   only the instances count: both orders of the same two must have been seen.
/// - Waits that all happen under one lock, or on one queue, never happen at once. What else keeps waits apart:
///   `WaitGuard`.
/// - Signals alone make no circle: of those who give each other signs in turns, each gives before it waits.
/// - A chain that leads from one thing to another of the same class, and is no cycle of the instances, is such nesting.
package struct WaitGraph: Sendable {
  private struct Pair: Hashable {
    let from, to: UInt32
    let scope: UInt64

    init(_ edge: WaitEdge) { (from, to, scope) = (edge.from.classID, edge.to.classID, edge.scope) }
  }

  /// Classes of which something was seen: in one test, or outside of all, where it counts for each.
  private struct Seen {
    private struct Sight: Hashable {
      let classID: UInt32
      let scope: UInt64
    }

    private var sights: Set<Sight> = []

    func contains(_ classID: UInt32, in scope: UInt64) -> Bool {
      guard !sights.isEmpty else { return false }
      return sights.contains(Sight(classID: classID, scope: 0))
        || scope != 0 && sights.contains(Sight(classID: classID, scope: scope))
    }

    /// - Returns: whether that is new.
    mutating func insert(_ classID: UInt32, in scope: UInt64) -> Bool {
      if contains(classID, in: scope) { return false }
      return sights.insert(Sight(classID: classID, scope: scope)).inserted
    }

    mutating func forget(scope: UInt64) { sights = sights.filter { $0.scope != scope } }
  }

  /// The edges from things of one class, in their order, and from each thing.
  private struct Edges {
    private(set) var all: [WaitEdge] = []
    private var byThing: [UInt64: [WaitEdge]] = [:]

    subscript(instance: UInt64) -> [WaitEdge] { byThing[instance] ?? [] }

    mutating func append(_ edge: WaitEdge) {
      all.append(edge)
      byThing[edge.from.instance, default: []].append(edge)
    }

    mutating func removeAll(where isMeant: (WaitEdge) -> Bool) {
      all.removeAll(where: isMeant)
      byThing = Dictionary(grouping: all, by: \.from.instance)
    }
  }

  /// By the class that was held.
  private var outgoing: [UInt32: Edges] = [:]
  private var counts: [Pair: Int] = [:]
  /// Classes of which one thing was held while another was waited for.
  private var nesting = Seen()
  private var withBarriers = Seen()
  /// Pairs of things that are remembered for two classes. What comes then is judged when it comes, and not kept. Of one
  /// class, only the order of the things tells anything: as many as the recorder hands over.
  private static let mostPairs = 64, mostPairsOfOneClass = 4096
  private static let longest = 12
  private static let mostSteps = 20_000

  package init() {}

  /// Takes in an edge that was not seen before, and returns the shortest cycle that it closes, with the test that it
  /// belongs to. `scopes`: the tests that run; an edge that belongs to none can close a cycle of each.
  package mutating func add(_ edge: WaitEdge, scopes: Set<UInt64> = []) -> WaitCycle? {
    if edge.reason == .itself { return WaitCycle(edges: [edge], scope: edge.scope) }
    if edge.from.classID == edge.to.classID, edge.from.instance != edge.to.instance {
      _ = nesting.insert(edge.from.classID, in: edge.scope)
    }
    let isKnown = outgoing[edge.from.classID, default: Edges()][edge.from.instance].contains {
      $0.from == edge.from && $0.to == edge.to && $0.scope == edge.scope && $0.guards.isSubset(of: edge.guards)
        && $0.isSignal == edge.isSignal
    }
    let pair = Pair(edge)
    let most = pair.from == pair.to ? Self.mostPairsOfOneClass : Self.mostPairs
    if !isKnown, counts[pair, default: 0] < most {
      counts[pair, default: 0] += 1
      outgoing[edge.from.classID, default: Edges()].append(edge)
    }
    return cycle(through: edge, scopes)
  }

  /// A barrier was seen on a concurrent queue of this class, in a test or outside of all: who holds it shared may now
  /// keep others out.
  package mutating func noteBarrier(
    _ classID: UInt32, scope: UInt64 = 0, scopes: Set<UInt64> = []
  ) -> WaitCycle? {
    guard withBarriers.insert(classID, in: scope) else { return nil }
    for edge in outgoing[classID]?.all ?? [] {
      if let found = cycle(through: edge, scopes) { return found }
    }
    return nil
  }

  /// Forgets what was seen in a test that has ended.
  package mutating func forget(scope: UInt64) {
    forget { $0.scope == scope }
    nesting.forget(scope: scope)
    withBarriers.forget(scope: scope)
  }

  /// Forgets what a thing was thought to be: a semaphore that turned out to be no lock.
  package mutating func forget(instance: UInt64) {
    forget { $0.from.instance == instance || $0.to.instance == instance }
  }

  private mutating func forget(_ isMeant: (WaitEdge) -> Bool) {
    for (key, edges) in outgoing {
      for edge in edges.all where isMeant(edge) { counts[Pair(edge), default: 1] -= 1 }
      outgoing[key]?.removeAll(where: isMeant)
    }
  }

  // MARK: - The search

  /// How an edge meets the next one.
  private enum Joint { case apart, sameThing, sameClass }

  private func joint(_ edge: WaitEdge, _ next: WaitEdge, _ scope: UInt64) -> Joint {
    guard edge.to.classID == next.from.classID else { return .apart }
    if edge.to.isShared, next.from.isShared, !withBarriers.contains(edge.to.classID, in: scope) { return .apart }
    if edge.to.instance == next.from.instance { return .sameThing }
    return nesting.contains(edge.to.classID, in: scope) ? .apart : .sameClass
  }

  /// What all edges of a way have in common. Where things stand for others of their class, so do their guards: of two
  /// stores that each have a lock, what happens in the one under its lock happens in the other under that one's.
  private struct Guards: Hashable {
    private let things: Set<WaitGuard>
    private let classes: Set<UInt32>

    init(_ edge: WaitEdge) { self.init(edge.guards, Set(edge.guards.map(\.classID))) }

    private init(_ things: Set<WaitGuard>, _ classes: Set<UInt32>) {
      self.things = things
      self.classes = classes
    }

    func inCommon(with edge: WaitEdge) -> Guards {
      if things.isEmpty, classes.isEmpty { return self }
      return Guards(things.intersection(edge.guards), classes.intersection(edge.guards.map(\.classID)))
    }

    func keepApart(loose: Int) -> Bool { loose < 2 ? !things.isEmpty : !classes.isEmpty }
  }

  /// The edges that may follow one that leads to a thing.
  private func edges(behind thing: WaitThing, _ scope: UInt64) -> [WaitEdge] {
    guard let edges = outgoing[thing.classID] else { return [] }
    return nesting.contains(thing.classID, in: scope) ? edges[thing.instance] : edges.all
  }

  /// The shortest cycle through an edge that was taken in, by all that was learned since.
  package mutating func cycle(through edge: WaitEdge, _ scopes: Set<UInt64> = []) -> WaitCycle? {
    for scope in edge.scope == 0 ? [0] + scopes.sorted() : [edge.scope] {
      if let edges = cycle(through: edge, of: scope) { return WaitCycle(edges: edges, scope: scope) }
    }
    return nil
  }

  private mutating func cycle(through edge: WaitEdge, of scope: UInt64) -> [WaitEdge]? {
    // First what the things themselves say. A way that meets only once by class is nesting, and is learned.
    let first = search(from: edge, of: scope) { $0 <= 1 }
    for found in first where found.loose == 0 { return found.edges }
    for found in first {
      for (edge, next) in zip(found.edges, found.edges.dropFirst() + found.edges.prefix(1))
      where joint(edge, next, scope) == .sameClass { _ = nesting.insert(edge.to.classID, in: scope) }
    }
    return search(from: edge, of: scope) { _ in true }.first { $0.loose != 1 }?.edges
  }

  /// Ways from an edge back to itself, the shortest first: at most one for each count of loose joints below three.
  private func search(
    from start: WaitEdge, of scope: UInt64, where allows: (Int) -> Bool
  ) -> [(edges: [WaitEdge], loose: Int)] {
    struct Way { let edge: WaitEdge, before: Int?, loose: Int, length: Int, guards: Guards, isSignal: Bool }
    struct Mark: Hashable { let from, to: WaitThing, loose: Int, guards: Guards, isSignal: Bool }
    var ways = [
      Way(edge: start, before: nil, loose: 0, length: 1, guards: Guards(start), isSignal: start.isSignal)
    ]
    var marks: Set<Mark> = []
    var found: [(edges: [WaitEdge], loose: Int)] = []
    var next = 0
    while next < ways.count, ways.count < Self.mostSteps {
      let way = ways[next]
      defer { next += 1 }
      let closing = joint(way.edge, start, scope)
      if closing != .apart, !way.isSignal {
        let loose = min(way.loose + (closing == .sameClass ? 1 : 0), 2)
        if allows(loose), !way.guards.keepApart(loose: loose), !found.contains(where: { $0.loose == loose }) {
          var edges: [WaitEdge] = []
          var place: Int? = next
          while let at = place {
            edges.append(ways[at].edge)
            place = ways[at].before
          }
          found.append((edges.reversed(), loose))
        }
      }
      guard way.length < Self.longest else { continue }
      for edge in edges(behind: way.edge.to, scope) where edge.scope == scope || edge.scope == 0 {
        let joint = joint(way.edge, edge, scope)
        guard joint != .apart else { continue }
        let loose = min(way.loose + (joint == .sameClass ? 1 : 0), 2)
        guard allows(loose) else { continue }
        let guards = way.guards.inCommon(with: edge), isSignal = way.isSignal && edge.isSignal
        let mark = Mark(from: edge.from, to: edge.to, loose: loose, guards: guards, isSignal: isSignal)
        guard marks.insert(mark).inserted else { continue }
        ways.append(
          Way(
            edge: edge, before: next, loose: loose, length: way.length + 1, guards: guards, isSignal: isSignal))
      }
    }
    return found
  }
}

extension WaitEdge {
  fileprivate var isSignal: Bool { if case .signal = reason { true } else { false } }
}
