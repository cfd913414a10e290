/// In the other order it is only tried: a thread that does not get it releases everything and begins again.
extension Case {
  static let tryInstead = Case("try-instead", "Two locks in both orders, of which one is only tried", is: .innocent) {
    run in
    let first = PlainMutex(.normal)
    let second = PlainMutex(.normal)
    run.together(
      {
        for _ in 0..<20 {
          first.lock()
          second.lock()
          second.unlock()
          first.unlock()
        }
      },
      {
        for _ in 0..<20 {
          second.lock()
          if first.lockIfFree() { first.unlock() }
          second.unlock()
        }
      })
  }
}
