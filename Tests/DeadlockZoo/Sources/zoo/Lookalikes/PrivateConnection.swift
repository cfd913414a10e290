/// While the pool holds the lock under which it makes a connection, no other thread knows that connection.
extension Case {
  static let privateConnection = Case(
    "private-connection", "A pool waits, under its lock, for a connection that no other thread knows yet",
    is: .innocent
  ) { run in
    let pool = Lock(0)
    @Sendable func use() {
      let connection = pool.withLock { _ in
        let made = SerialQueue(label: "connection")
        made.sync {}
        return made
      }
      connection.sync { pool.withLock { $0 += 1 } }
    }
    run.together(use, use)
  }
}
