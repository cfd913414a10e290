/// A queue whose parties take turns. The elements of one party come out in their order.
///
/// With one party it is a `FIFO`.
package struct FairFIFO<Party: Hashable, Element> {
  private var lines: [Party: FIFO<Element>] = [:]
  /// The parties with elements, each of them once, in the order of their turns.
  private var turns = FIFO<Party>()

  package init() {}

  package mutating func append(_ element: Element, for party: Party) {
    if lines[party] == nil { turns.append(party) }
    lines[party, default: FIFO()].append(element)
  }

  /// Removes and returns the first element of the party whose turn it is; `nil` if there is none.
  package mutating func popFirst() -> Element? {
    guard let party = turns.popFirst(), let element = lines[party]?.popFirst() else { return nil }
    if lines[party]?.count == 0 { lines[party] = nil } else { turns.append(party) }
    return element
  }
}

extension FairFIFO: Sendable where Party: Sendable, Element: Sendable {}
