/// The plainest of all: each of two queues is waited for from the other.
extension Case {
  static let twoQueues = Case("two-queues", "Each of two queues is waited for from the other", is: .cycle) { run in
    let database = SerialQueue(label: "database")
    let cache = SerialQueue(label: "cache")
    run.orders(
      {
        database.sync {
          run.meet()
          cache.sync {}
        }
      },
      {
        cache.sync {
          run.meet()
          database.sync {}
        }
      })
  }
}
