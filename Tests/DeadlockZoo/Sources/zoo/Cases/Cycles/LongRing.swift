/// Each service asks the next one, and the last one asks the first.
extension Case {
  static let longRing = Case("long-ring", "Three hundred queues in one ring", is: .cycle) { run in
    let services = (0..<300).map { SerialQueue(label: "service \($0)") }
    run.orders(
      services.indices.map { index in
        {
          services[index].sync {
            run.meet()
            services[(index + 1) % services.count].sync {}
          }
        }
      })
  }
}
