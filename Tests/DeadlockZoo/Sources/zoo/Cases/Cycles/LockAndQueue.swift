/// A logger keeps its settings behind a lock and writes on a queue. A thread that changes the settings waits for what
/// is being written, and what is written reads the settings.
extension Case {
  static let lockAndQueue = Case("lock-and-queue", "A queue is waited for under a lock that it takes", is: .cycle) {
    run in
    let settings = Lock(0)
    let writer = SerialQueue(label: "log.writer")
    run.orders(
      {
        settings.withLock { level in
          run.meet()
          writer.sync {}
          level += 1
        }
      },
      {
        writer.sync {
          run.meet()
          _ = settings.withLock { $0 }
        }
      })
  }
}
