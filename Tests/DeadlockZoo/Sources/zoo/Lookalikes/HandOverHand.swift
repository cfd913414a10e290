/// A list whose every node has a lock: the next one is taken before the last one is let go. All go the same way.
extension Case {
  static let handOverHand = Case("hand-over-hand", "Locks along a list, two at a time", is: .innocent) { run in
    let nodes = (0..<8).map { Node($0) }
    @Sendable func walk() {
      nodes[0].lock()
      for place in 1..<nodes.count {
        nodes[place].lock()
        nodes[place - 1].unlock()
      }
      nodes[nodes.count - 1].unlock()
    }
    run.together({ for _ in 0..<20 { walk() } }, { for _ in 0..<20 { walk() } })
  }
}

private final class Node: Sendable {
  private let mutex = PlainMutex(.normal)
  private let value: Int

  init(_ value: Int) { self.value = value }

  func lock() { mutex.lock() }
  func unlock() { mutex.unlock() }
}
