/// Code that runs without a break: a block of a queue, a part of a task between two suspensions, a callback.
struct Step: Sendable {
  enum Action: Sendable {
    case block(@Sendable () -> Void)
    /// A thread in a synchronous call continues, because it is its turn.
    case caller(Worker)
  }

  let name: StaticString
  let action: Action
  /// A number that is incremented with every step. It gives the order of arrival.
  let arrival: Int
  /// The chain that the step belongs to: each step of a chain was caused by the one before.
  let chain: Int
}

/// A step that has been taken, and the lanes that are busy until it ends: its own, and those that contain it.
struct TakenStep: Sendable {
  let step: Step
  let lanes: [Int]
}
