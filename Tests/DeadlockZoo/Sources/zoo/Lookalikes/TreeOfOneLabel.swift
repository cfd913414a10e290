/// As a database library may do: all its queues are made at one place, under one label, and form a tree. Waits go
/// downwards.
extension Case {
  static let treeOfOneLabel = Case(
    "tree-of-one-label", "A tree of queues with one label, waited for downwards", is: .innocent
  ) { run in
    let nodes = (0..<7).map { _ in SerialQueue(label: "database") }
    @Sendable func visit(_ node: Int) {
      nodes[node].sync {
        for child in [2 * node + 1, 2 * node + 2] where child < nodes.count { visit(child) }
      }
    }
    run.together({ visit(0) }, { visit(0) }, { visit(2) }, { visit(1) })
  }
}
