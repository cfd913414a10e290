/// A ring through main, a queue and a lock: three modules, each of which is right for itself.
extension Case {
  static let threeParties = Case(
    "three-parties", "Main waits for a queue, the queue for a lock, and under the lock main is waited for", is: .cycle,
    in: .offMain
  ) { run in
    let worker = SerialQueue(label: "worker")
    let cache = Lock(0)
    run.orders(
      {
        SerialQueue.main.sync {
          run.meet()
          worker.sync {}
        }
      },
      {
        worker.sync {
          run.meet()
          cache.withLock { $0 += 1 }
        }
      },
      {
        cache.withLock { _ in
          run.meet()
          SerialQueue.main.sync {}
        }
      })
  }
}
