#if RAW
  import Dispatch
  import Glibc

  /// A loop of two turns, one on the calling thread and one on another.
  enum Loop {
    enum Turn { case caller, helper }

    static func run(_ body: @Sendable (Turn) -> Void) {
      let caller = Holder()
      let hasHelper = Event()
      caller.enter()
      DispatchQueue.concurrentPerform(iterations: 2) { _ in
        if caller.isThisThread {
          hasHelper.wait()
          body(.caller)
        } else {
          body(.helper)
          hasHelper.happen()
        }
      }
    }
  }
#endif
