/// A queue with a line for known parties and a line for strangers. The two lines take turns, and in each of them the
/// parties do.
///
/// An element of a known party waits for one stranger's and for the turns of other known parties, however many
/// strangers wait. The strangers' line has a limited length. If it is full, the party with the most elements in it
/// loses its last one to a stranger with fewer, so that one party cannot fill it for all. A known party may have a
/// limited number of elements, too.
package struct GuardedLine<Party: Hashable, Element> {
  private var known = FairFIFO<Party, Element>()
  private var strangers = FairFIFO<Party, Element>()
  /// Whether the strangers' line has the next turn. It does after each element of a known party.
  private var isStrangersTurn = false
  private let mostStrangers: Int
  private let mostOfKnown: Int

  /// - Parameters:
  ///   - mostStrangers: the maximum number of strangers' elements.
  ///   - mostOfKnown: the maximum number of elements of one known party.
  package init(mostStrangers: Int = .max, mostOfKnown: Int = .max) {
    (self.mostStrangers, self.mostOfKnown) = (mostStrangers, mostOfKnown)
  }

  /// The number of elements in each line.
  package var counts: (known: Int, strangers: Int) { (known.count, strangers.count) }

  /// Adds an element of a known party.
  package mutating func append(_ element: Element, for party: Party) { known.append(element, for: party) }

  /// Whether a known party may have another element.
  package func hasRoom(for party: Party) -> Bool { known.count(of: party) < mostOfKnown }

  /// Adds an element of a stranger.
  ///
  /// - Returns: The element that has no room: this one, or the one that has lost its room to it.
  package mutating func append(_ element: Element, forStranger party: Party) -> Element? {
    var refused: Element?
    if strangers.count >= mostStrangers {
      refused = strangers.popLast(inFavorOf: party)
      if refused == nil { return element }
    }
    strangers.append(element, for: party)
    return refused
  }

  /// Removes and returns the element whose turn it is; `nil` if there is none.
  ///
  /// - Parameter withStrangers: whether it may be a stranger's. If not, the strangers keep their turn.
  package mutating func popFirst(withStrangers: Bool = true) -> Element? {
    guard withStrangers else { return known.popFirst() }
    if isStrangersTurn || known.count == 0, let element = strangers.popFirst() {
      isStrangersTurn = false
      return element
    }
    isStrangersTurn = true
    return known.popFirst()
  }
}

extension GuardedLine: Sendable where Party: Sendable, Element: Sendable {}
