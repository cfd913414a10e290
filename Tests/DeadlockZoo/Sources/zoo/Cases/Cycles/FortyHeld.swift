/// A thread that holds many things holds the fortieth as well as the first.
extension Case {
  static let fortyHeld = Case(
    "forty-held", "A lock is taken under forty others, and the last of them under it", is: .cycle
  ) { run in
    let rows = (0..<40).map { _ in Semaphore(value: 1) }
    let journal = Lock(0)
    run.orders(
      {
        rows.forEach { $0.wait() }
        run.meet()
        journal.withLock { $0 += 1 }
        rows.forEach { $0.signal() }
      },
      {
        journal.withLock { _ in
          run.meet()
          rows[39].wait()
          rows[39].signal()
        }
      })
  }
}
