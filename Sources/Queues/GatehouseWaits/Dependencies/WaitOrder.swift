/// An order of resources in which each one comes before those that are waited for while it is held.
///
/// Resources that lead back to each other have no order. They share a component, and only the waits inside a component
/// can be part of a cycle. The order is kept while waits are added (Pearce and Kelly's algorithm, with components): a
/// wait that leads forwards costs nothing, and any other wait costs a look at the resources between its two ends.
struct WaitOrder: Sendable {
  /// One end of a wait: a resource, or all resources of its class where one represents all of them.
  struct Node: Hashable {
    let classID: UInt32
    /// 0: it represents its class.
    let instance: UInt64
    /// Whether it is waited for. If not, it is held.
    let isAsked: Bool
    let isShared: Bool

    /// The same resource on the other end of a wait.
    func counterpart(isShared: Bool) -> Node {
      Node(classID: classID, instance: instance, isAsked: !isAsked, isShared: isShared)
    }
  }

  private struct Arc: Hashable { let from, to: Int }

  private var numbers: [Node: Int] = [:]
  private var nodes: [Node] = []
  /// The component of each node: a chain of numbers that ends in the representative.
  private var parents: [Int] = []
  // The following values are those of a component, at the number of its representative.
  private var positions: [Int] = []
  private var after: [[Int]] = []
  private var before: [[Int]] = []
  private var members: [[Int]] = []
  private var first = 0, last = 0
  private var arcs: Set<Arc> = []
  /// The number of components that were looked at.
  private(set) var steps = 0

  /// The component that contains both ends; nil if no wait leads back.
  func component(of held: Node, _ asked: Node) -> Int? {
    guard let one = numbers[held], let other = numbers[asked] else { return nil }
    let component = root(of: one)
    return component == root(of: other) ? component : nil
  }

  /// Whether the wait was added.
  func has(_ held: Node, _ asked: Node) -> Bool {
    guard let one = numbers[held], let other = numbers[asked] else { return false }
    return arcs.contains(Arc(from: one, to: other))
  }

  func nodes(in component: Int) -> [Node] { members[component].map { nodes[$0] } }

  /// Adds a wait.
  ///
  /// - Parameter joins: whether a resource of that class that was waited for in the first way, shared or not, keeps the
  ///   thread waiting that holds it in the second way.
  mutating func insert(
    _ held: Node, _ asked: Node, where joins: (UInt32, _ asked: Bool, _ held: Bool) -> Bool
  ) {
    let from = number(of: held, joins), to = number(of: asked, joins)
    connect(from, to)
  }

  private mutating func number(of node: Node, _ joins: (UInt32, Bool, Bool) -> Bool) -> Int {
    if let known = numbers[node] { return known }
    let counterparts = [false, true].compactMap { isShared -> Int? in
      let isJoined =
        node.isAsked ? joins(node.classID, node.isShared, isShared) : joins(node.classID, isShared, node.isShared)
      return isJoined ? numbers[node.counterpart(isShared: isShared)] : nil
    }
    let new = nodes.count
    numbers[node] = new
    nodes.append(node)
    parents.append(new)
    // A node that only leads on comes first, and one that is only led to comes last.
    if node.isAsked == counterparts.isEmpty {
      last += 1
      positions.append(last)
    } else {
      first -= 1
      positions.append(first)
    }
    after.append([])
    before.append([])
    members.append([new])
    for counterpart in counterparts { if node.isAsked { connect(new, counterpart) } else { connect(counterpart, new) } }
    return new
  }

  private func root(of number: Int) -> Int {
    var root = number
    while parents[root] != root { root = parents[root] }
    return root
  }

  private mutating func connect(_ one: Int, _ other: Int) {
    guard arcs.insert(Arc(from: one, to: other)).inserted else { return }
    let from = root(of: one), to = root(of: other)
    guard from != to else { return }
    after[from].append(to)
    before[to].append(from)
    guard positions[from] >= positions[to] else { return }
    let onward = reached(from: to, after) { [positions] in positions[$0] <= positions[from] }
    let back = reached(from: from, before) { [positions] in positions[$0] >= positions[to] }
    let places = onward.union(back).map { positions[$0] }.sorted()
    let circle = onward.intersection(back)
    let lower = back.subtracting(circle).sorted { positions[$0] < positions[$1] }
    let upper = onward.subtracting(circle).sorted { positions[$0] < positions[$1] }
    for (component, place) in zip(lower, places) { positions[component] = place }
    for (component, place) in zip(upper, places.suffix(upper.count)) { positions[component] = place }
    if let whole = merge(circle) { positions[whole] = places[lower.count] }
  }

  private mutating func reached(from start: Int, _ ways: [[Int]], where isNear: (Int) -> Bool) -> Set<Int> {
    var found: Set<Int> = [start]
    var next = [start]
    while let one = next.popLast() {
      steps += 1
      for way in ways[one] {
        let other = root(of: way)
        if isNear(other), found.insert(other).inserted { next.append(other) }
      }
    }
    return found
  }

  /// Makes one component of several. Returns its number.
  private mutating func merge(_ components: Set<Int>) -> Int? {
    guard let whole = components.max(by: { (members[$0].count, $0) < (members[$1].count, $1) }) else { return nil }
    for component in components where component != whole {
      parents[component] = whole
      after[whole] += after[component]
      before[whole] += before[component]
      members[whole] += members[component]
      (after[component], before[component], members[component]) = ([], [], [])
    }
    return whole
  }
}
