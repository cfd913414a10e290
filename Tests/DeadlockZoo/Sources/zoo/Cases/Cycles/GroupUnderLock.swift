/// A group is awaited under a lock. Its member took that lock when it was awaited elsewhere.
extension Case {
  static let groupUnderLock = Case(
    "group-under-lock", "A group is awaited under a lock that its member takes", is: .cycle
  ) { run in
    let state = Lock(0)
    let worker = SerialQueue(label: "worker")
    @Sendable func work(takesLock: Bool) {
      let members = Group()
      worker.async(group: members) {
        if takesLock { state.withLock { $0 += 1 } }
      }
      members.wait()
    }
    run.orders({ work(takesLock: true) }, { state.withLock { _ in work(takesLock: run.hangs) } })
  }
}
