#if RAW
  import Dispatch

  /// The item needs nothing that the thread that awaits it holds. The second one is awaited where it has ended for
  /// certain: on its own queue.
  extension Case {
    static let itemUnderAnother = Case(
      "item-under-another", "Work items are awaited under another lock than they take, and on their own queue",
      is: .innocent, isRawOnly: true
    ) { run in awaitItems(on: DispatchQueue(label: "items"), run) }

    static let concurrentItemUnderAnother = Case(
      "concurrent-item-under-another", "Work items on a concurrent queue are awaited under another lock than they take",
      is: .innocent, isRawOnly: true
    ) { run in awaitItems(on: DispatchQueue(label: "items", attributes: .concurrent), run) }

    private static func awaitItems(on queue: DispatchQueue, _ run: Run) {
      let state = Lock(0), callers = Lock(0)
      @Sendable func work() {
        let items = (0..<2).map { _ in DispatchWorkItem { state.withLock { $0 += 1 } } }
        for item in items { queue.async(execute: item) }
        callers.withLock { _ in items[0].wait() }
        queue.sync { items[1].wait() }
        state.withLock { $0 += 1 }
      }
      run.together(work, work)
    }
  }
#endif
