/// Orders nodes so that the edges that lead back have the smallest total weight.
///
/// A graph without cycles has an order in which no edge leads back, and each order of a graph with cycles gives a set
/// of edges to remove. `weights[from * count + to]` is the weight of an edge, 0 if there is none.
enum OrderSearch {
  /// The best order, by dynamic programming over all sets of nodes: 2^count sets.
  static func best(_ weights: [Int], _ count: Int) -> [Int] {
    guard count > 1 else { return Array(0..<count) }
    let sets = 1 << count
    // The smallest cost with which the nodes of a set can come first, and the last node of that order.
    var costs = [Int](repeating: .max, count: sets)
    var lasts = [UInt8](repeating: 0, count: sets)
    costs[0] = 0
    // The weight from one node into each set, for the lower and the upper half of the nodes.
    let half = count / 2
    let lower = sums(weights, count, 0..<half), upper = sums(weights, count, half..<count)
    let lowerMask = 1 << half - 1
    for set in 0..<sets where costs[set] != .max {
      for node in 0..<count where set & (1 << node) == 0 {
        // The node comes after the set, so its edges into the set lead back.
        let back = lower[node << half | set & lowerMask] + upper[node << (count - half) | set >> half]
        let next = set | 1 << node
        if costs[set] + back < costs[next] {
          costs[next] = costs[set] + back
          lasts[next] = UInt8(node)
        }
      }
    }
    var order: [Int] = []
    var set = sets - 1
    while set != 0 {
      order.append(Int(lasts[set]))
      set &= ~(1 << Int(lasts[set]))
    }
    return order.reversed()
  }

  /// For each node and each set of some nodes, the weight of the edges from the node into the set.
  private static func sums(_ weights: [Int], _ count: Int, _ nodes: Range<Int>) -> [Int] {
    let bits = nodes.count
    var sums = [Int](repeating: 0, count: count << bits)
    for node in 0..<count {
      for set in 1..<max(1 << bits, 1) {
        let lowest = set.trailingZeroBitCount
        sums[node << bits | set] =
          sums[node << bits | set & (set - 1)] + weights[node * count + nodes.lowerBound + lowest]
      }
    }
    return sums
  }

  /// Finds a good order: a greedy one, improved by moving one node at a time, again and again from shuffled orders
  /// until the steps are used up.
  static func good(_ weights: [Int], _ count: Int, within steps: Int) -> [Int] {
    var left = steps
    var best = greedy(weights, count)
    var bestCost = improve(&best, weights, count, &left)
    // A fixed seed: the same program gets the same result in every run.
    var seed: UInt64 = 0x9E37_79B9_7F4A_7C15
    func next(below bound: Int) -> Int {
      seed ^= seed << 13
      seed ^= seed >> 7
      seed ^= seed << 17
      return Int(seed % UInt64(bound))
    }
    while left > 0, bestCost > 0 {
      var order = best
      for _ in 0..<max(2, count / 8) {
        let node = order.remove(at: next(below: count))
        order.insert(node, at: next(below: count))
      }
      let cost = improve(&order, weights, count, &left)
      if cost < bestCost { (best, bestCost) = (order, cost) }
    }
    return best
  }

  /// Orders the nodes greedily: next comes the node with the most outgoing less incoming weight among the remaining
  /// ones.
  private static func greedy(_ weights: [Int], _ count: Int) -> [Int] {
    var score = (0..<count).map { node in
      (0..<count).reduce(0) { $0 + weights[node * count + $1] - weights[$1 * count + node] }
    }
    var left = Set(0..<count), order: [Int] = []
    while let node = left.max(by: { (score[$0], $1) < (score[$1], $0) }) {
      left.remove(node)
      order.append(node)
      for other in left { score[other] += weights[node * count + other] - weights[other * count + node] }
    }
    return order
  }

  /// Moves single nodes to their best positions until no move helps. Returns the weight of the edges that lead back.
  private static func improve(_ order: inout [Int], _ weights: [Int], _ count: Int, _ left: inout Int) -> Int {
    var isImproved = true
    while isImproved, left > 0 {
      isImproved = false
      for index in 0..<count {
        let node = order[index]
        var gain = 0, bestGain = 0, target = index
        // Passing a node reverses the edges between the two.
        for other in stride(from: index - 1, through: 0, by: -1) {
          gain += weights[node * count + order[other]] - weights[order[other] * count + node]
          if gain > bestGain { (bestGain, target) = (gain, other) }
        }
        gain = 0
        for other in stride(from: index + 1, to: count, by: 1) {
          gain += weights[order[other] * count + node] - weights[node * count + order[other]]
          if gain > bestGain { (bestGain, target) = (gain, other) }
        }
        left -= count
        guard target != index else { continue }
        order.remove(at: index)
        order.insert(node, at: target)
        isImproved = true
      }
    }
    var cost = 0
    for index in 0..<count { for back in 0..<index { cost += weights[order[index] * count + order[back]] } }
    left -= count * count / 2
    return cost
  }
}
