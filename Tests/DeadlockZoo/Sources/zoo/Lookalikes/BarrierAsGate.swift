/// A reader and a barrier of one queue never run at once.
extension Case {
  static let barrierAsGate = Case(
    "barrier-as-gate", "Two queues in one order by readers of a store, in the other by its barriers", is: .innocent
  ) { run in
    let store = ConcurrentQueue(label: "store")
    let left = SerialQueue(label: "left")
    let right = SerialQueue(label: "right")
    run.together(
      { for _ in 0..<10 { store.sync { left.sync { right.sync {} } } } },
      { for _ in 0..<10 { store.syncBarrier { right.sync { left.sync {} } } } })
  }
}
