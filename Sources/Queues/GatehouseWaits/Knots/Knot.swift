/// Resources, or classes of them, each of which leads to every other one: many cycles, which are one finding.
///
/// A report of each cycle would not help: sixty queues that all wait for one another have more cycles than a report has
/// lines. The smallest set of waits whose removal ends all cycles shows where to begin.
package struct Knot: Sendable {
  /// One wait, from a resource that is held to one that is waited for.
  package typealias Edge = (from: UInt32, to: UInt32, weight: Int)

  /// The waits to remove.
  package struct Cut: Sendable, Equatable {
    /// The positions of the edges, in ascending order.
    package let edges: [Int]
    /// Whether no other choice has a smaller weight. If not, it is the best that was found.
    package let isExact: Bool

    package init(edges: [Int], isExact: Bool) {
      self.edges = edges
      self.isExact = isExact
    }
  }

  /// The largest number of resources for which the best cut is computed.
  package static let maximumExact = 20

  /// The edges by the indices of their ends, in `0..<count`.
  private let ends: [(from: Int, to: Int, weight: Int)]
  private let count: Int

  /// - Parameter edges: weights below 1 count as 1. An edge from a resource to itself is always part of the cut.
  package init(edges: [Edge]) {
    var indices: [UInt32: Int] = [:]
    for edge in edges {
      for node in [edge.from, edge.to] where indices[node] == nil { indices[node] = indices.count }
    }
    ends = edges.map { (indices[$0.from] ?? 0, indices[$0.to] ?? 0, max($0.weight, 1)) }
    count = indices.count
  }

  /// The edges with the smallest total weight whose removal leaves no cycle.
  ///
  /// Up to `maximumExact` resources the cut is exact. For more the search stops after a number of steps, so the same
  /// edges always give the same cut, however fast the machine is.
  ///
  /// - Parameter steps: the effort. One step is one comparison of two resources.
  package func cut(within steps: Int = 2_000_000) -> Cut {
    var weights = [Int](repeating: 0, count: count * count)
    for edge in ends where edge.from != edge.to { weights[edge.from * count + edge.to] += edge.weight }
    let isExact = count <= Self.maximumExact
    let order = isExact ? OrderSearch.best(weights, count) : OrderSearch.good(weights, count, within: steps)
    var position = [Int](repeating: 0, count: count)
    for (index, node) in order.enumerated() { position[node] = index }
    // Every edge that leads back in the order closes a cycle with edges that lead forward.
    return Cut(edges: ends.indices.filter { position[ends[$0].from] >= position[ends[$0].to] }, isExact: isExact)
  }
}
