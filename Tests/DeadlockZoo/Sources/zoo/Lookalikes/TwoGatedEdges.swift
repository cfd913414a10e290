/// All three would have to wait at once, and two of them never do.
extension Case {
  static let twoGatedEdges = Case(
    "two-gated-edges", "Three queues in a ring, two of whose waits are behind one gate", is: .innocent
  ) { run in
    let gate = Lock(0)
    let queues = (0..<3).map { SerialQueue(label: ["left", "middle", "right"][$0]) }
    @Sendable func go(from place: Int) { queues[place].sync { queues[(place + 1) % 3].sync {} } }
    run.together(
      { for _ in 0..<10 { gate.withLock { _ in go(from: 0) } } },
      { for _ in 0..<10 { gate.withLock { _ in go(from: 1) } } },
      { for _ in 0..<10 { go(from: 2) } })
  }
}
