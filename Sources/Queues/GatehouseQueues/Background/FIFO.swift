/// A first-in, first-out queue. Taking the first takes constant time on average, however long the queue is.
///
/// An array's `removeFirst` moves all that follow. Here a taken element leaves a gap, and the gaps go when they are
/// half of the array.
package struct FIFO<Element> {
  private var elements: [Element?] = []
  /// The index of the first element that has not been taken.
  private var head = 0

  package init() {}

  package var count: Int { elements.count - head }

  package mutating func append(_ element: Element) { elements.append(element) }

  /// Takes the first element out; `nil` when there is none.
  package mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let first = elements[head].take()
    head += 1
    if head > 32, head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }
}

extension FIFO: Sendable where Element: Sendable {}
