#if RAW
  import Dispatch

  /// The end of a source is awaited under a lock. Its cancel handler took that lock before it told its end.
  extension Case {
    static let cancelHandler = Case(
      "cancel-handler", "A source's end is awaited under a lock that its cancel handler takes", is: .cycle,
      isRawOnly: true
    ) { run in
      let state = Lock(0)
      run.orders({
        let queue = SerialQueue(label: "source")
        let isHeld = Event()
        let isTaken = Event(times: run.hangs ? 0 : 1)
        let isCanceled = Semaphore(value: 0)
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setCancelHandler {
          if run.hangs { isHeld.wait() }
          state.withLock { $0 += 1 }
          isTaken.happen()
          isHeld.wait()
          isCanceled.signal()
        }
        source.activate()
        source.cancel()
        isTaken.wait()
        state.withLock { _ in
          isHeld.happen()
          isCanceled.wait()
        }
      })
    }
  }
#endif
