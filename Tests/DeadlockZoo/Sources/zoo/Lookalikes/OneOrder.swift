extension Case {
  static let oneOrder = Case("one-order", "Two locks and two queues, always in one order", is: .innocent) { run in
    let database = SerialQueue(label: "database")
    let cache = SerialQueue(label: "cache")
    let first = Lock(0)
    let second = Lock(0)
    @Sendable func work() {
      for _ in 0..<20 {
        database.sync {
          cache.sync {
            first.withLock { _ in second.withLock { $0 += 1 } }
          }
        }
        cache.sync { first.withLock { $0 += 1 } }
        database.sync { second.withLock { $0 += 1 } }
      }
    }
    run.together(work, work)
  }
}
