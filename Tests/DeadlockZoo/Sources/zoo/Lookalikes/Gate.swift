/// Both orders are taken, but only by the thread that holds the gate; so never at once.
extension Case {
  static let gate = Case("gate", "Two queues in both orders, behind one gate", is: .innocent) { run in
    let gate = Lock(0)
    let left = SerialQueue(label: "left")
    let right = SerialQueue(label: "right")
    run.together(
      { for _ in 0..<10 { gate.withLock { _ in left.sync { right.sync {} } } } },
      { for _ in 0..<10 { gate.withLock { _ in right.sync { left.sync {} } } } })
  }
}
