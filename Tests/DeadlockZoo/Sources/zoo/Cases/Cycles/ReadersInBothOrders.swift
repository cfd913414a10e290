/// Reading two things in either order is harmless until a thread writes: a waiting writer keeps later readers out.
extension Case {
  static let readersInBothOrders = Case(
    "readers-in-both-orders", "Two stores are read in both orders, and written to", is: .cycle
  ) { run in
    let people = ConcurrentQueue(label: "people")
    let places = ConcurrentQueue(label: "places")
    @Sendable func update(_ other: ConcurrentQueue, from one: ConcurrentQueue) {
      one.sync {
        run.meet()
        other.asyncBarrier {}
        run.meet()
        other.sync {}
      }
    }
    run.orders({ update(places, from: people) }, { update(people, from: places) })
  }
}
