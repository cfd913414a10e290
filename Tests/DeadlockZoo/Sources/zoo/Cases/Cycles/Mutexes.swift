import Synchronization

/// `Synchronization.Mutex` calls nothing that a tool can replace. On Linux two that are taken in both
/// orders do not even hang: the kernel refuses the second, and the process dies with a message that speaks of a
/// recursive call.
extension Case {
  static let mutexes = Case(
    "mutexes", "Two `Mutex`es are taken in both orders", is: .cycle, through: .mutexes
  ) { run in
    let pair = Mutexes()
    run.orders(
      {
        pair.first.withLock { _ in
          run.meet()
          pair.second.withLock { $0 += 1 }
        }
      },
      {
        pair.second.withLock { _ in
          run.meet()
          pair.first.withLock { $0 += 1 }
        }
      })
  }
}

private final class Mutexes: Sendable {
  let first = Mutex(0)
  let second = Mutex(0)
}
