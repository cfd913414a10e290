/// The block that signals takes a lock before it does. Mostly the thread that waits does not hold it.
extension Case {
  static let answerNeedsLock = Case(
    "answer-needs-lock", "A semaphore is awaited under a lock that the block takes before it signals", is: .cycle
  ) { run in
    let session = Lock(0)
    let network = SerialQueue(label: "network")
    @Sendable func request(takesLock: Bool) {
      let answered = Semaphore(value: 0)
      network.async {
        if takesLock { session.withLock { $0 += 1 } }
        answered.signal()
      }
      answered.wait()
    }
    run.orders({ request(takesLock: true) }, { session.withLock { _ in request(takesLock: run.hangs) } })
  }
}
