/// A recursive mutex is made to be taken again by its thread.
extension Case {
  static let recursive = Case("recursive", "A recursive mutex is taken again by its thread", is: .innocent) { run in
    let mutex = PlainMutex(.recursive)
    let inner = Lock(0)
    @Sendable func descend(_ depth: Int) {
      mutex.lock()
      if depth > 0 { descend(depth - 1) } else { inner.withLock { $0 += 1 } }
      mutex.unlock()
    }
    run.together({ descend(5) }, { descend(5) })
  }
}
