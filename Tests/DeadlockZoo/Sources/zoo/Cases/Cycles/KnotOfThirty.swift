/// No two of them wait for each other, and there are more cycles than a report has lines.
extension Case {
  static let knotOfThirty = Case(
    "knot-of-thirty", "Each of thirty queues waits for the next one and for the one after", is: .cycle
  ) { run in
    let shards = (0..<30).map { SerialQueue(label: "shard \($0)") }
    run.orders(
      shards.indices.map { index in
        {
          shards[index].sync {
            run.meet()
            for other in [index + 1, index + 2] { shards[other % shards.count].sync {} }
          }
        }
      })
  }
}
