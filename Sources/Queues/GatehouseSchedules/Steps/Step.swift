/// Code that runs without a break: a block of a queue, a part of a task between two waits, a callback.
struct Step: Sendable {
  enum Action: Sendable {
    case block(@Sendable () -> Void)
    /// A thread in a synchronous call goes on, now that it is its turn.
    case caller(Worker)
  }

  let name: StaticString
  let action: Action
  /// Incremented with every step: tells which came first.
  let arrival: Int
  /// The chain that it belongs to: each step of a chain was caused by the one before.
  let chain: Int
}

/// A step that has been taken, and the lanes that are busy until it ends: its own, and those that it is within.
struct TakenStep: Sendable {
  let step: Step
  let lanes: [Int]
}
