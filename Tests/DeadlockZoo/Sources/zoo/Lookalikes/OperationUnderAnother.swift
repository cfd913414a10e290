#if RAW
  import Foundation

  /// The operation needs nothing that the thread that awaits it holds.
  extension Case {
    static let operationUnderAnother = Case(
      "operation-under-another", "An operation is awaited under another lock than it takes", is: .innocent,
      isRawOnly: true
    ) { run in
      let state = Lock(0)
      let callers = Lock(0)
      @Sendable func work() {
        let operations = OperationQueue()
        let operation = BlockOperation { state.withLock { $0 += 1 } }
        callers.withLock { _ in
          operations.addOperation(operation)
          operation.waitUntilFinished()
        }
        state.withLock { $0 += 1 }
      }
      run.together(work, work)
    }
  }
#endif
