/// Philosophers: three locks of one kind in a ring, each thread with its left one and then its right one.
extension Case {
  static let threeLocks = Case("three-locks", "Three locks of one kind are taken in a ring", is: .cycle) { run in
    let forks = (0..<3).map { Lock($0) }
    @Sendable func eat(at seat: Int) {
      forks[seat].withLock { _ in
        run.meet()
        forks[(seat + 1) % 3].withLock { $0 += 1 }
      }
    }
    run.orders({ eat(at: 0) }, { eat(at: 1) }, { eat(at: 2) })
  }
}
