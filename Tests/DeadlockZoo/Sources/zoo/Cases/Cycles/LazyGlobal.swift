#if RAW
  /// The first use of a global runs its initializer, and later users wait for that.
  extension Case {
    static let lazyGlobal = Case(
      "lazy-global", "A global is used under a lock that its initializer takes", is: .cycle, isRawOnly: true
    ) { run in
      let settings = Lock(0)
      world.fill(World(run: run, settings: settings))
      run.orders(
        { _ = Defaults.level },
        {
          settings.withLock { level in
            run.meet()
            level = Defaults.level
          }
        })
    }
  }

  /// What the initializer sees.
  private struct World {
    let run: Run
    let settings: Lock<Int>
  }
  private let world = Slot<World>()

  private enum Defaults {
    static let level: Int = {
      let world = world.value
      world.run.meet()
      return world.settings.withLock { $0 }
    }()
  }
#endif
