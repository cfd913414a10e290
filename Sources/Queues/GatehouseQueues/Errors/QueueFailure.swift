/// The reason why an operation on a queue has no result: its own error, or a failure of the queue.
///
/// `WorkError` is the error type of the operation: `Never` if the operation cannot throw.
public enum QueueFailure<WorkError: Error>: Error {
  /// The operation threw this error.
  case work(WorkError)
  /// The wait would never end: the caller is part of an operation that holds `queue`, and the result comes only after
  /// that operation has ended. Thrown at once, before anything is put on the queue.
  case wouldDeadlock(queue: String)
  /// The operation did not end within `timeout`. Its task was cancelled and the queue continues with the next
  /// operation; a late result is dropped.
  case deadline(operation: String, timeout: Duration)
  /// The waiting task was cancelled.
  case cancelled
}

extension QueueFailure: Equatable where WorkError: Equatable {}
extension QueueFailure: Hashable where WorkError: Hashable {}

extension QueueFailure: CustomStringConvertible {
  /// What went wrong, and what to do.
  public var description: String {
    switch self {
    case .work(let error): "\(error)"
    case .wouldDeadlock(let queue):
      """
      an operation on the queue \(queue) waited for that queue, which goes on only when the operation has ended; start \
      the inner operation without waiting for it, or put it on another queue
      """
    case .deadline(let operation, let timeout): "\(operation) took longer than its timeout of \(timeout); try again"
    case .cancelled: "the waiting task was cancelled"
    }
  }
}

extension QueueFailure: ExpressibleByQueueFailure {}
