/// The answer is there before the lock is needed.
extension Case {
  static let answerBeforeLock = Case(
    "answer-before-lock", "A semaphore is awaited under a lock that the block takes after it signals", is: .innocent
  ) { run in
    let session = Lock(0)
    @Sendable func request() {
      let network = SerialQueue(label: "network")
      let hasEnded = Event()
      session.withLock { _ in
        let answered = Semaphore(value: 0)
        network.async {
          answered.signal()
          session.withLock { $0 += 1 }
          hasEnded.happen()
        }
        answered.wait()
      }
      hasEnded.wait()
    }
    run.together({ for _ in 0..<5 { request() } }, { for _ in 0..<5 { request() } })
  }
}
