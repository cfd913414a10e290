/// A test that loops over many objects shows what the last of them has in common with no other one.
extension Case {
  static let lastOfAHundred = Case(
    "last-of-a-hundred", "Of a hundred connections that take the registry, the last one is taken under it", is: .cycle
  ) { run in
    let registry = Lock(0)
    let connections = (0..<100).map { _ in SerialQueue(label: "connection") }
    run.orders(
      {
        for (number, connection) in connections.enumerated() {
          connection.sync {
            if number == connections.count - 1 { run.meet() }
            registry.withLock { $0 += 1 }
          }
        }
      },
      {
        registry.withLock { _ in
          run.meet()
          connections[99].sync {}
        }
      })
  }
}
