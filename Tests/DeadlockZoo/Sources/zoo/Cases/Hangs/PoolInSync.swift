/// firebase/firebase-ios-sdk#11526: as many tasks as the cooperative pool has threads each wait, in a synchronous
/// call, for a queue. What runs on the queue needs the pool.
extension Case {
  static let poolInSync = Case(
    "pool-in-sync", "All threads of the cooperative pool wait for a queue that needs one of them",
    after: "firebase/firebase-ios-sdk#11526", is: .hang
  ) { run in
    let identity = SerialQueue(label: "identity")
    let tasks = Machine.processors
    let areWaiting = Event(times: run.hangs ? tasks : 0)
    let areDone = Event(times: tasks)
    let isIdentified = Event()
    identity.async {
      areWaiting.wait()
      let found = Semaphore(value: 0)
      Task { found.signal() }
      found.wait()
      isIdentified.happen()
    }
    if !run.hangs { isIdentified.wait() }
    for _ in 0..<tasks {
      Task {
        areWaiting.happen()
        identity.sync {}
        areDone.happen()
      }
    }
    areDone.wait()
  }
}
