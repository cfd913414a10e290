#if RAW
  /// The initializer of a global needs nothing that the first user holds.
  extension Case {
    static let lazyUnderAnother = Case(
      "lazy-under-another", "A global is used under another lock than its initializer takes", is: .innocent,
      isRawOnly: true
    ) { run in
      let users = Lock(0)
      @Sendable func use() {
        users.withLock { $0 = Defaults.level }
        _ = settings.withLock { $0 }
      }
      run.together(use, use)
    }
  }

  private let settings = Lock(0)

  private enum Defaults {
    static let level = settings.withLock { $0 }
  }
#endif
