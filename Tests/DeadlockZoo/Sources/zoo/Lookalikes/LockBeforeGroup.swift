/// What a thread waited for before it entered the group is behind it.
extension Case {
  static let lockBeforeGroup = Case(
    "lock-before-group", "A group is awaited under a lock that its member took before it entered", is: .innocent
  ) { run in
    let state = Lock(0)
    let worker = SerialQueue(label: "worker")
    let members = Group()
    @Sendable func work() {
      state.withLock { $0 += 1 }
      members.enter()
      worker.async { members.leave() }
    }
    run.together({ for _ in 0..<10 { work() } }, { for _ in 0..<10 { state.withLock { _ in members.wait() } } })
  }
}
