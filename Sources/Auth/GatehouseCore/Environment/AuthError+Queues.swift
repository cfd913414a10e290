package import GatehouseBase
import GatehouseQueues

/// The failures of the queues, as the engine's callers see them.
extension AuthError: ExpressibleByQueueFailure {
  package static func wouldDeadlock(queue: String) -> AuthError {
    AuthError(.wouldDeadlock, "an operation on the queue \(queue) waited for that queue")
  }

  package static func deadline(operation: String, timeout: Duration) -> AuthError {
    .deadlineExceeded(operation, after: timeout.inSeconds)
  }
}

extension SerialTaskQueue {
  /// Throws `.wouldDeadlock` if the calling operation, or one that waits for it, holds this queue.
  ///
  /// Call this before enqueuing an operation whose result the caller waits for.
  func checkNotHeld() throws(AuthError) {
    if isHeldByCurrentOperation { throw .wouldDeadlock(queue: label) }
  }
}
