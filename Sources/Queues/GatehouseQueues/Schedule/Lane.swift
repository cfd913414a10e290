package import Dispatch

/// The place of a step in the order of execution.
package enum Lane: Sendable {
  /// Concurrent with everything else: on Swift's own threads, on Dispatch's, on a background queue.
  case concurrent
  /// One at a time, in the order of submission. A lane within another runs when its turn in that one has come.
  ///
  /// - Parameter within: the serial queues that it targets, nearest first.
  case serial(DispatchQueue, within: [DispatchQueue])
}
