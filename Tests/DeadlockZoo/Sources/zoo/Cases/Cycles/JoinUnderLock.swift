#if RAW
  /// A thread is joined under a lock. It took that lock before it was joined.
  extension Case {
    static let joinUnderLock = Case(
      "join-under-lock", "A thread is joined under a lock that it takes", is: .cycle, isRawOnly: true
    ) { run in
      let state = Lock(0)
      run.orders({
        let isHeld = Event(times: run.hangs ? 1 : 0)
        let isTaken = Event(times: run.hangs ? 0 : 1)
        let worker = Thread {
          isHeld.wait()
          state.withLock { $0 += 1 }
          isTaken.happen()
        }
        isTaken.wait()
        state.withLock { _ in
          isHeld.happen()
          worker.join()
        }
      })
    }
  }
#endif
