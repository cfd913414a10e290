#if RAW
  /// The thread that is joined needs nothing that the one that joins it holds.
  extension Case {
    static let joinUnderAnother = Case(
      "join-under-another", "A thread is joined under another lock than it takes", is: .innocent, isRawOnly: true
    ) { run in
      let state = Lock(0)
      let threads = Lock(0)
      @Sendable func work() {
        threads.withLock { _ in Thread { state.withLock { $0 += 1 } }.join() }
        state.withLock { $0 += 1 }
      }
      run.together(work, work)
    }
  }
#endif
