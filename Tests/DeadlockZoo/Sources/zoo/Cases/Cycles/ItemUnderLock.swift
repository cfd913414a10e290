#if RAW
  import Dispatch

  /// A work item is awaited under a lock that it takes. In the run that passes it has ended by then.
  extension Case {
    static let itemUnderLock = Case(
      "item-under-lock", "A work item is awaited under a lock that it takes", is: .cycle, isRawOnly: true
    ) { run in
      let state = Lock(0)
      run.orders({
        let isHeld = Event(), hasEnded = Event(times: run.hangs ? 0 : 1)
        let item = DispatchWorkItem {
          if run.hangs { isHeld.wait() }
          state.withLock { $0 += 1 }
          hasEnded.happen()
        }
        DispatchQueue(label: "items").async(execute: item)
        hasEnded.wait()
        state.withLock { _ in
          isHeld.happen()
          item.wait()
        }
      })
    }
  }
#endif
