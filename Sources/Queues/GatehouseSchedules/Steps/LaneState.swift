import Dispatch

/// A serial queue and its waiting steps, in the order in which Dispatch would run them.
///
/// A lane that targets another one is a single entry in that lane's line while it has a step to run and is not
/// suspended. When its turn comes, it runs until it is empty or suspended, as a Dispatch queue with a target does.
struct LaneState: Sendable {
  enum Entry: Sendable {
    case step(Step)
    /// A lane within this one.
    case lane(Int)
  }

  let queue: DispatchQueue
  var target: Int?
  var entries: [Entry] = []
  var suspensions = 0
  /// The step that runs now on this lane, or in a lane within it.
  var running: StaticString?
  /// Whether the lane is in its target's line.
  var isInLine = false

  init(_ queue: DispatchQueue) { self.queue = queue }
}
