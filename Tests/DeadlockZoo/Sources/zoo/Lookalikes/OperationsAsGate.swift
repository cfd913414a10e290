#if RAW
  import Foundation

  /// Both orders of two locks, in operations of one queue that runs one at a time.
  extension Case {
    static let operationsAsGate = Case(
      "operations-as-gate", "Two locks are taken in both orders, by operations of a queue of width one",
      is: .innocent, isRawOnly: true
    ) { run in
      let first = Lock(0)
      let second = Lock(0)
      let operations = OperationQueue()
      operations.maxConcurrentOperationCount = 1
      @Sendable func perform(_ work: @escaping @Sendable () -> Void) {
        let operation = BlockOperation(block: work)
        operations.addOperations([operation], waitUntilFinished: true)
      }
      run.together(
        { perform { first.withLock { _ in second.withLock { $0 += 1 } } } },
        { perform { second.withLock { _ in first.withLock { $0 += 1 } } } })
    }
  }
#endif
