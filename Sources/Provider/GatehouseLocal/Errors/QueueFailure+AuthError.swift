import GatehouseBase
import GatehouseQueues

extension QueueFailure where WorkError == AuthError {
  /// The failure as the provider's callers see it.
  var asAuthError: AuthError {
    switch self {
    case .work(let error): error
    case .wouldDeadlock(let queue):
      AuthError(.wouldDeadlock, "an operation on the queue \(queue) waited for that queue")
    case .deadline(let operation, let timeout): .deadlineExceeded(operation, after: timeout.inSeconds)
    case .cancelled: .cancelled
    }
  }
}
