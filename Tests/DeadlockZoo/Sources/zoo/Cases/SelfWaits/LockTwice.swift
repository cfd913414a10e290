/// A callback that is called under a lock calls its caller back, which takes the lock again.
extension Case {
  static let lockTwice = Case("lock-twice", "A lock is taken by the thread that holds it", is: .itself) { _ in
    let listeners = Lock(0)
    @Sendable func count() -> Int { listeners.withLock { $0 } }
    listeners.withLock { $0 = count() }
  }
}
