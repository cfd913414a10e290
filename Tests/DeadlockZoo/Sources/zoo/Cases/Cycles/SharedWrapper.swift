/// One wrapper makes all locks of the program. The two subsystems are made anew for each request, so that no two locks
/// are taken in both orders.
extension Case {
  static let sharedWrapper = Case(
    "shared-wrapper", "Locks of two subsystems, made by one wrapper, are taken in both orders", is: .cycle
  ) { run in
    let first = request()
    let second = run.hangs ? first : request()
    run.orders(
      {
        first.0.lock.withLock { _ in
          run.meet()
          first.1.lock.withLock { $0 += 1 }
        }
      },
      {
        second.1.lock.withLock { _ in
          run.meet()
          second.0.lock.withLock { $0 += 1 }
        }
      })
  }
}

private final class Cache: Sendable {
  let lock: Lock<Int>

  @inline(never)
  init() { lock = Lock(0) }
}

private final class Store: Sendable {
  let lock: Lock<Int>

  @inline(never)
  init() { lock = Lock(0) }
}

@inline(never)
private func request() -> (Cache, Store) { (Cache(), Store()) }
