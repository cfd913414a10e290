package import Dispatch

/// Where a step runs, as far as order goes.
package enum Lane: Sendable {
  /// Beside everything else: Swift's own threads, Dispatch's, a background queue.
  case concurrent
  /// One at a time, in the order in which they came. A lane within another runs when its turn in that one has come.
  ///
  /// - Parameter within: the serial queues that it targets, the nearest first.
  case serial(DispatchQueue, within: [DispatchQueue])
}
