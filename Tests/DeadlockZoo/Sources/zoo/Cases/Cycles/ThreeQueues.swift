/// No two of them wait for each other, and the three do.
extension Case {
  static let threeQueues = Case("three-queues", "Three queues wait for one another in a ring", is: .cycle) { run in
    let parser = SerialQueue(label: "parser")
    let index = SerialQueue(label: "index")
    let renderer = SerialQueue(label: "renderer")
    @Sendable func wait(on first: SerialQueue, for second: SerialQueue) {
      first.sync {
        run.meet()
        second.sync {}
      }
    }
    run.orders(
      { wait(on: parser, for: index) }, { wait(on: index, for: renderer) }, { wait(on: renderer, for: parser) })
  }
}
