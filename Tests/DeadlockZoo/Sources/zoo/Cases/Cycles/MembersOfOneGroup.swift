/// A group keeps its members apart from the thread that waits for it, not from each other.
extension Case {
  static let membersOfOneGroup = Case(
    "members-of-one-group", "Two members of one group take two locks in both orders", is: .cycle
  ) { run in
    let members = Group()
    let first = Lock(0)
    let second = Lock(0)
    @Sendable func take(_ one: Lock<Int>, then other: Lock<Int>) {
      members.enter()
      one.withLock { _ in
        run.meet()
        other.withLock { $0 += 1 }
      }
      members.leave()
    }
    run.orders({ take(first, then: second) }, { take(second, then: first) })
    members.wait()
  }
}
