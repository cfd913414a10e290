/// After GRDB's pool: the thread that closes it keeps new users out, and waits until all users have left.
extension Case {
  static let closingPool = Case(
    "closing-pool", "A pool is closed when its users have left, and waits for what they used", is: .innocent
  ) { run in
    let gate = ConcurrentQueue(label: "gate")
    let users = Group()
    let reader = SerialQueue(label: "reader")
    let content = Lock(0)
    @Sendable func use() {
      gate.sync { users.enter() }
      reader.async {
        content.withLock { $0 += 1 }
        users.leave()
      }
    }
    @Sendable func close() {
      gate.syncBarrier {
        users.wait()
        content.withLock { _ in reader.sync {} }
      }
    }
    // Once before its first user: what keeps users out is not known by then.
    close()
    run.together({ for _ in 0..<3 { use() } }, { close() })
  }
}
