/// First in, first out, each in constant time on average.
struct FIFOQueue<Element> {
  private var incoming: [Element] = []
  /// The oldest elements, in reverse order.
  private var outgoing: [Element] = []

  var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }
  var count: Int { incoming.count + outgoing.count }

  mutating func append(_ element: Element) { incoming.append(element) }

  mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      outgoing = incoming.reversed()
      incoming = []
    }
    return outgoing.popLast()
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}
