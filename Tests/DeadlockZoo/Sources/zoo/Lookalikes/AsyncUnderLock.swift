/// What is only handed in may take the lock later.
extension Case {
  static let asyncUnderLock = Case("async-under-lock", "A block that takes a lock is handed in under it", is: .innocent)
  { run in
    let state = Lock(0)
    let queue = SerialQueue(label: "queue")
    let isDone = Event(times: 20)
    @Sendable func work() {
      for _ in 0..<10 {
        state.withLock { _ in
          queue.async {
            state.withLock { $0 += 1 }
            isDone.happen()
          }
        }
      }
    }
    run.together(work, work)
    isDone.wait()
  }
}
