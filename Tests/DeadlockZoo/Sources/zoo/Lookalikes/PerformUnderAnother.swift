#if RAW
  /// All threads take the two locks in one order, wherever the turns of the loop run.
  extension Case {
    static let performUnderAnother = Case(
      "perform-under-another", "A loop runs side by side under a lock, and its turns take a second one",
      is: .innocent, isRawOnly: true
    ) { run in
      let outer = Lock(0)
      let inner = Lock(0)
      @Sendable func work() {
        outer.withLock { _ in Loop.run { _ in inner.withLock { $0 += 1 } } }
        outer.withLock { _ in inner.withLock { $0 += 1 } }
        inner.withLock { $0 += 1 }
      }
      run.together(work, work)
    }
  }
#endif
