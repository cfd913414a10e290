import GatehouseQueues

/// The memory for the bodies of requests that are longer than usual. A client may open many connections, and send a
/// part of a long body on each. A quarter is for those who may send even longer bodies (`RequestHandler.bodyLength`),
/// so that strangers do not shut out an administrator's import.
final class BodyBudget: Sendable {
  /// A body up to this length, in bytes, needs nothing of the budget.
  static let free = 16 << 10

  private let rest: Lock<(common: Int, reserved: Int)>

  init(_ length: Int) { rest = Lock((common: length - length / 4, reserved: length / 4)) }

  /// The part of the budget that one request has.
  struct Share: ~Copyable {
    private let budget: BodyBudget
    private var length = 0
    private(set) var isReserved = false

    init(of budget: BodyBudget) { self.budget = budget }

    /// Makes the share large enough for a body.
    ///
    /// - Returns: Whether the budget had enough.
    mutating func hold(_ length: Int) -> Bool {
      let more = (length > BodyBudget.free ? length : 0) - self.length
      guard more > 0 else { return true }
      guard budget.take(more, isReserved) else { return false }
      self.length += more
      return true
    }

    /// Moves the share to the reserve, where `hold` takes from then on.
    ///
    /// - Returns: Whether the reserve had enough.
    mutating func moveToReserve() -> Bool {
      guard budget.take(length, true) else { return false }
      budget.giveBack(length, false)
      isReserved = true
      return true
    }

    deinit { budget.giveBack(length, isReserved) }
  }

  private func take(_ length: Int, _ isReserved: Bool) -> Bool {
    rest.withLock { rest in
      guard (isReserved ? rest.reserved : rest.common) >= length else { return false }
      if isReserved { rest.reserved -= length } else { rest.common -= length }
      return true
    }
  }

  private func giveBack(_ length: Int, _ isReserved: Bool) {
    rest.withLock { if isReserved { $0.reserved += length } else { $0.common += length } }
  }
}
