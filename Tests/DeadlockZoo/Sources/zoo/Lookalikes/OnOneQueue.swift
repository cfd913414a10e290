/// Both orders are taken, but only by blocks of one serial queue; so never at once.
extension Case {
  static let onOneQueue = Case("on-one-queue", "Two locks in both orders, on one serial queue", is: .innocent) { run in
    let queue = SerialQueue(label: "engine")
    let left = Lock(0)
    let right = Lock(0)
    run.together(
      { for _ in 0..<10 { queue.sync { left.withLock { _ in right.withLock { $0 += 1 } } } } },
      { for _ in 0..<10 { queue.sync { right.withLock { _ in left.withLock { $0 += 1 } } } } })
  }
}
