/// A server numbers its connections, so that each has a label of its own. Beyond a certain number they share a class,
/// and two of them still are what they are.
extension Case {
  static let numberedLabels = Case(
    "numbered-labels", "Two of three hundred queues with numbers in their labels are taken in both orders", is: .cycle
  ) { run in
    let connections = (0..<300).map { SerialQueue(label: "connection \($0)") }
    for connection in connections { connection.sync {} }
    @Sendable func forward(from one: Int, to other: Int) {
      connections[one].sync {
        run.meet()
        connections[other].sync {}
      }
    }
    run.orders({ forward(from: 7, to: 250) }, { forward(from: 250, to: 7) })
  }
}
