#if RAW
  import Dispatch

  /// A work item is awaited under a lock that it takes. In the run that passes it has ended by then.
  extension Case {
    static let itemUnderLock = Case(
      "item-under-lock", "A work item is awaited under a lock that it takes", is: .cycle, isRawOnly: true
    ) { run in awaitItem(on: DispatchQueue(label: "items"), run) }

    /// No queue keeps the item waiting. Its end alone does.
    static let concurrentItemUnderLock = Case(
      "concurrent-item-under-lock", "A work item on a concurrent queue is awaited under a lock that it takes",
      is: .cycle, isRawOnly: true
    ) { run in awaitItem(on: .global(), run) }

    private static func awaitItem(on queue: DispatchQueue, _ run: Run) {
      let state = Lock(0)
      run.orders({
        let isHeld = Event(), hasEnded = Event(times: run.hangs ? 0 : 1)
        let item = DispatchWorkItem {
          if run.hangs { isHeld.wait() }
          state.withLock { $0 += 1 }
          hasEnded.happen()
        }
        queue.async(execute: item)
        hasEnded.wait()
        state.withLock { _ in
          isHeld.happen()
          item.wait()
        }
      })
    }
  }
#endif
