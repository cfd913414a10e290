/// Decide inside, act outside: the lock is let go before the queue is waited for.
extension Case {
  static let outsideTheLock = Case("outside-the-lock", "A lock is let go before a queue that takes it", is: .innocent) {
    run in
    let state = Lock(0)
    let writer = SerialQueue(label: "writer")
    run.together(
      {
        for _ in 0..<10 {
          let isFirst = state.withLock { state in
            state += 1
            return state == 1
          }
          if !isFirst { writer.sync {} }
        }
      },
      {
        for _ in 0..<10 { writer.sync { state.withLock { $0 += 1 } } }
      })
  }
}
