#if RAW
  import Foundation

  /// An operation is awaited under a lock. It took that lock before it was awaited.
  extension Case {
    static let operationUnderLock = Case(
      "operation-under-lock", "An operation is awaited under a lock that it takes", is: .cycle, isRawOnly: true
    ) { run in
      let state = Lock(0)
      run.orders({
        let isHeld = Event()
        let isTaken = Event(times: run.hangs ? 0 : 1)
        let operations = OperationQueue()
        let operation = BlockOperation {
          if run.hangs { isHeld.wait() }
          state.withLock { $0 += 1 }
          isTaken.happen()
          isHeld.wait()
        }
        operations.addOperation(operation)
        isTaken.wait()
        state.withLock { _ in
          isHeld.happen()
          operation.waitUntilFinished()
        }
      })
    }
  }
#endif
