/// Two locks are taken in both orders a hundred times behind a gate, and once without it.
extension Case {
  static let onceWithoutTheGate = Case(
    "once-without-the-gate", "Two locks in both orders, a hundred times behind one gate, and once without it",
    is: .cycle
  ) { run in
    let gate = Lock(0)
    let accounts = (0..<101).map { _ in Lock(0) }, histories = (0..<101).map { _ in Lock(0) }
    run.orders(
      {
        for number in 0..<100 {
          gate.withLock { _ in accounts[number].withLock { _ in histories[number].withLock { $0 += 1 } } }
        }
        accounts[100].withLock { _ in
          run.meet()
          histories[100].withLock { $0 += 1 }
        }
      },
      {
        for number in 0..<100 {
          gate.withLock { _ in histories[number].withLock { _ in accounts[number].withLock { $0 += 1 } } }
        }
        histories[100].withLock { _ in
          run.meet()
          accounts[100].withLock { $0 += 1 }
        }
      })
  }
}
