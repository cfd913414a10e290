#if RAW
  import Dispatch
  import Glibc

  /// Dispatch asks for the number of processors, and makes as many threads for a loop. The answer is two, whatever the
  /// machine has, so that a loop of two turns has two threads.
  @c(pthread_getaffinity_np)
  public func processors(_: pthread_t, _: Int, _ set: UnsafeMutablePointer<cpu_set_t>) -> CInt {
    set.pointee = cpu_set_t()
    set.pointee.__bits.0 = 0b11
    return 0
  }

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
