/// Numbers in labels tell queues apart for people. Waits go downwards only, so the class nests.
extension Case {
  static let numberedTree = Case(
    "numbered-tree", "A tree of many queues with numbers in their labels, waited for downwards", is: .innocent
  ) { run in
    let nodes = (0..<255).map { SerialQueue(label: "node \($0)") }
    @Sendable func visit(_ node: Int) {
      nodes[node].sync {
        for child in [2 * node + 1, 2 * node + 2] where child < nodes.count { visit(child) }
      }
    }
    run.together({ visit(2) }, { visit(0) }, { visit(100) }, { visit(1) })
  }
}
