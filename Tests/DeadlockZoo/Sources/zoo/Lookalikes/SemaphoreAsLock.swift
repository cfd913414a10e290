/// A semaphore that begins with 1 keeps others out, on different queues, and is always taken first.
extension Case {
  static let semaphoreAsLock = Case("semaphore-as-lock", "A semaphore that serves as a lock", is: .innocent) { run in
    let turn = Semaphore(value: 1)
    let left = SerialQueue(label: "left")
    let right = SerialQueue(label: "right")
    @Sendable func write(on queue: SerialQueue) {
      for _ in 0..<10 {
        turn.wait()
        queue.sync {}
        turn.signal()
      }
    }
    run.together({ write(on: left) }, { write(on: right) })
  }
}
