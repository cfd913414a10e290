/// A gate that only one of three threads passes keeps none of them apart.
extension Case {
  static let oneGatedEdge = Case(
    "one-gated-edge", "Three queues in a ring, one of whose waits is behind a gate", is: .cycle
  ) { run in
    let gate = Lock(0)
    let queues = (0..<3).map { SerialQueue(label: ["left", "middle", "right"][$0]) }
    @Sendable func go(from place: Int) {
      queues[place].sync {
        run.meet()
        queues[(place + 1) % 3].sync {}
      }
    }
    run.orders({ gate.withLock { _ in go(from: 0) } }, { go(from: 1) }, { go(from: 2) })
  }
}
