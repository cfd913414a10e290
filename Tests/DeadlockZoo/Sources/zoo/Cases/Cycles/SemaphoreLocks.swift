/// Semaphores that begin with 1 and are signaled by the thread that took them are locks.
extension Case {
  static let semaphoreLocks = Case(
    "semaphore-locks", "Two semaphores that serve as locks are taken in both orders", is: .cycle
  ) { run in
    let first = Semaphore(value: 1)
    let second = Semaphore(value: 1)
    @Sendable func take(_ one: Semaphore, then other: Semaphore) {
      one.wait()
      run.meet()
      other.wait()
      other.signal()
      one.signal()
    }
    run.orders({ take(first, then: second) }, { take(second, then: first) })
  }
}
