/// A first-in, first-out queue. Removing the first element takes constant time on average, whatever the queue's length.
///
/// An array's `removeFirst` moves all elements that follow. Here a removed element leaves a gap, and the gaps are
/// removed when they make up half of the array.
package struct FIFO<Element> {
  private var elements: [Element?] = []
  /// The index of the first element that has not been removed.
  private var head = 0

  package init() {}

  package var count: Int { elements.count - head }

  package mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns the first element; `nil` if there is none.
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

  /// Removes and returns the last element; `nil` if there is none.
  package mutating func popLast() -> Element? { head < elements.count ? elements.removeLast() : nil }

  /// Calls a function with each element, in order.
  package func forEach(_ body: (Element) -> Void) {
    for element in elements[head...] { element.map(body) }
  }
}

extension FIFO: Sendable where Element: Sendable {}
