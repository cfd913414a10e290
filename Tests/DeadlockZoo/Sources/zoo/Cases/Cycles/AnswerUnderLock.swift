/// An asynchronous call made synchronous, under a lock that the one who answers takes for something else.
extension Case {
  static let answerUnderLock = Case(
    "answer-under-lock", "An answer is awaited under a lock that its giver takes", is: .cycle
  ) { run in
    let session = Lock(0)
    let network = SerialQueue(label: "network")
    run.orders(
      {
        session.withLock { session in
          run.meet()
          let answered = Semaphore(value: 0)
          network.async { answered.signal() }
          answered.wait()
          session += 1
        }
      },
      {
        network.sync {
          run.meet()
          session.withLock { $0 += 1 }
        }
      })
  }
}
