/// What a thread makes under a lock is its own while it holds that lock, unless another thread uses it meanwhile.
extension Case {
  static let publishedConnection = Case(
    "published-connection", "A pool waits, under its lock, for a new connection that others use already", is: .cycle
  ) { run in
    let pool = Lock(0)
    let connection = Slot<SerialQueue>()
    run.orders(
      {
        pool.withLock { _ in
          let made = SerialQueue(label: "connection")
          run.elsewhere { made.sync {} }
          connection.fill(made)
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
