#if RAW
  import Dispatch

  /// A thread that hands out the turns of a loop waits for all of them.
  extension Case {
    static let performUnderLock = Case(
      "perform-under-lock", "A loop runs side by side under a lock, and another thread's turn takes a second one",
      is: .cycle, isRawOnly: true
    ) { run in
      let outer = Lock(0)
      let inner = Lock(0)
      run.orders(
        {
          outer.withLock { _ in
            Loop.run { turn in
              guard turn == .helper else { return }
              run.meet()
              inner.withLock { $0 += 1 }
            }
          }
        },
        {
          inner.withLock { _ in
            run.meet()
            outer.withLock { $0 += 1 }
          }
        })
    }
  }
#endif
