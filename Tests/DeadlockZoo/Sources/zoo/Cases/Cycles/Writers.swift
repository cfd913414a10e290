/// Two concurrent queues, of which one is read while the other is written to.
extension Case {
  static let writers = Case("writers", "Who writes to one store reads the other", is: .cycle) { run in
    let people = ConcurrentQueue(label: "people")
    let places = ConcurrentQueue(label: "places")
    @Sendable func write(to one: ConcurrentQueue, from other: ConcurrentQueue) {
      one.syncBarrier {
        run.meet()
        other.sync {}
      }
    }
    run.orders({ write(to: people, from: places) }, { write(to: places, from: people) })
  }
}
