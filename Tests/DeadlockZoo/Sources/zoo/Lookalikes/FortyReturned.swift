/// Forty locks are released in the order of their taking. None of them is held afterwards.
extension Case {
  static let fortyReturned = Case(
    "forty-returned", "Forty locks are released before a lock under which the last of them is taken", is: .innocent
  ) { run in
    let rows = (0..<40).map { _ in Semaphore(value: 1) }
    let journal = Lock(0)
    @Sendable func update() {
      rows.forEach { $0.wait() }
      rows.forEach { $0.signal() }
      journal.withLock { _ in
        rows[39].wait()
        rows[39].signal()
      }
    }
    run.together(update, update)
  }
}
