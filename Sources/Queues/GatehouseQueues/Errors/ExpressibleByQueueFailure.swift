/// An error type that has a value for each failure of a queue.
///
/// `Promise` and the task queues are generic over such a type, so that an operation's error and the queue's share one
/// type and no error is wrapped on its way. `QueueFailure` serves any error; the engine's is its own error type.
package protocol ExpressibleByQueueFailure: Error {
  /// The calling operation holds `queue`, and waits for something that comes only after it.
  static func wouldDeadlock(queue: String) -> Self
  /// The operation did not end within `timeout`.
  static func deadline(operation: String, timeout: Duration) -> Self
  /// The waiting task was cancelled.
  static var cancelled: Self { get }
}
