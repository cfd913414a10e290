/// A queue whose parties take turns. The elements of one party come out in their order.
///
/// With one party it is a `FIFO`.
package struct FairFIFO<Party: Hashable, Element> {
  private var lines: [Party: FIFO<Element>] = [:]
  /// The parties with elements, each of them once, in the order of their turns.
  private var turns = FIFO<Party>()
  /// The number of all elements.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ element: Element, for party: Party) {
    if lines[party] == nil { turns.append(party) }
    lines[party, default: FIFO()].append(element)
    count += 1
  }

  /// The number of a party's elements.
  package func count(of party: Party) -> Int { lines[party]?.count ?? 0 }

  /// Removes and returns the first element of the party whose turn it is; `nil` if there is none.
  package mutating func popFirst() -> Element? {
    guard let party = turns.popFirst(), let element = lines[party]?.popFirst() else { return nil }
    if lines[party]?.count == 0 { lines[party] = nil } else { turns.append(party) }
    count -= 1
    return element
  }

  /// Removes and returns the last element of the party that has the most, if it has more than one above those of
  /// another party, so that this one can have another element instead. Of several, it is the party whose turn is last.
  package mutating func popLast(inFavorOf party: Party) -> Element? {
    let own = lines[party]?.count ?? 0
    var longest: (party: Party, count: Int)?
    turns.forEach { other in
      let count = lines[other]?.count ?? 0
      if count > own + 1, count >= longest?.count ?? 0 { longest = (other, count) }
    }
    guard let longest, let element = lines[longest.party]?.popLast() else { return nil }
    count -= 1
    return element
  }
}

extension FairFIFO: Sendable where Party: Sendable, Element: Sendable {}
