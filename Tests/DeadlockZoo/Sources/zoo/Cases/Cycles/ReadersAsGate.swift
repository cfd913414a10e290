/// Readers of one store run side by side: what they do there is not kept apart.
extension Case {
  static let readersAsGate = Case(
    "readers-as-gate", "Two queues in both orders, by readers of one store", is: .cycle
  ) { run in
    let store = ConcurrentQueue(label: "store")
    let left = SerialQueue(label: "left")
    let right = SerialQueue(label: "right")
    store.syncBarrier {}
    run.orders(
      {
        store.sync {
          left.sync {
            run.meet()
            right.sync {}
          }
        }
      },
      {
        store.sync {
          right.sync {
            run.meet()
            left.sync {}
          }
        }
      })
  }
}
