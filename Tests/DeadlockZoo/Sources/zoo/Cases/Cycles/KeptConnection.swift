/// What a thread made under a lock is its own only while that one hold of the lock lasts.
extension Case {
  static let keptConnection = Case(
    "kept-connection", "A pool waits, under its lock, for a connection that it made earlier", is: .cycle
  ) { run in
    let pool = Lock(0)
    let connection = Slot<SerialQueue>()
    run.orders(
      {
        let made = pool.withLock { _ in SerialQueue(label: "connection") }
        connection.fill(made)
        pool.withLock { _ in
          run.meet()
          made.sync {}
        }
      },
      {
        connection.value.sync {
          run.meet()
          pool.withLock { $0 += 1 }
        }
      })
  }
}
