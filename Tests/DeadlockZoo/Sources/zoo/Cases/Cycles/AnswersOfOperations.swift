#if RAW
  import Foundation

  /// The same between operation queues that run one operation at a time.
  extension Case {
    static let answersOfOperations = Case(
      "answers-of-operations", "Operation queues of width one wait for asynchronous answers of each other",
      is: .cycle, isRawOnly: true
    ) { run in
      let queues = (0..<2).map { _ in OperationQueue() }
      for queue in queues { queue.maxConcurrentOperationCount = 1 }
      @Sendable func ask(_ other: OperationQueue, from own: OperationQueue) {
        let hasEnded = Event()
        own.addOperation {
          run.meet()
          let answered = Semaphore(value: 0)
          other.addOperation { answered.signal() }
          answered.wait()
          hasEnded.happen()
        }
        hasEnded.wait()
      }
      run.orders({ ask(queues[1], from: queues[0]) }, { ask(queues[0], from: queues[1]) })
    }
  }
#endif
