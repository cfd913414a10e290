import GatehouseQueues

/// The memory for the bodies of requests that are longer than usual. A client may open many connections, and send a
/// part of a long body on each.
final class BodyBudget: Sendable {
  /// A body up to this length, in bytes, needs nothing of the budget.
  static let free = 16 << 10

  private let rest: Lock<Int>

  init(_ length: Int) { rest = Lock(length) }

  /// The part of the budget that one request has.
  struct Share: ~Copyable {
    private let budget: BodyBudget
    private var length = 0

    init(of budget: BodyBudget) { self.budget = budget }

    /// Makes the share large enough for a body.
    ///
    /// - Returns: Whether the budget had enough.
    mutating func hold(_ length: Int) -> Bool {
      let more = (length > BodyBudget.free ? length : 0) - self.length
      guard more > 0 else { return true }
      guard budget.take(more) else { return false }
      self.length += more
      return true
    }

    deinit { budget.giveBack(length) }
  }

  private func take(_ length: Int) -> Bool {
    rest.withLock { rest in
      guard rest >= length else { return false }
      rest -= length
      return true
    }
  }

  private func giveBack(_ length: Int) { rest.withLock { $0 += length } }
}
