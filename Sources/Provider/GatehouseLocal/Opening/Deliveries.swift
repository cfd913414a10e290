import GatehouseBase
import GatehouseQueues
import Logging

/// Hands messages to the app's delivery, off the work queue, each with a deadline.
@WorkQueue
final class Deliveries {
  private nonisolated let options: LocalOptions
  /// The delivery is the app's code: it has threads of its own to block.
  private nonisolated let threads = PoolShare(width: 3)
  private nonisolated let time: Timekeeper

  nonisolated init(_ options: LocalOptions) {
    self.options = options
    time = Timekeeper { options.clocks }
  }

  /// Whether a call must not wait for its message: the time would tell that there is an account.
  nonisolated var areSilent: Bool { options.enumerationProtection }

  /// Delivers a message, or throws why that failed.
  func deliver(_ message: OutgoingMessage) async throws(AuthError) {
    guard let delivery = options.delivery else { throw Self.none }
    let seconds = options.deliveryTimeout.inSeconds
    let end = Promise<Void, QueueFailure<AuthError>>()
    let task = WorkQueue.begin { [threads] in
      let result = await outcome { () throws(AuthError) in
        try await Background.run(on: threads) { () throws(AuthError) in try await delivery.deliver(message) }
      }
      end.resolve(result.mapError(QueueFailure.work))
    }
    let alarm = time.after(seconds) {
      end.resolve(.failure(.work(.deadlineExceeded("the delivery of a message", after: seconds))))
      task.cancel()
    }
    defer { alarm.cancel() }
    try await end.result().mapError(\.asAuthError).get()
  }

  /// Delivers a message; the log tells why that failed.
  func deliverSilently(_ message: OutgoingMessage) async {
    let result = await outcome { () throws(AuthError) in try await deliver(message) }
    guard case .failure(let error) = result else { return }
    let line = "a message (\(message.type.rawValue)) could not be delivered: \(error)"
    // The log's handler is the app's code.
    await Background.run(on: threads) { [logger = options.logger] in logger.warning("\(line)") }
  }

  /// Refuses a call that sends a message where that cannot be.
  nonisolated func require() throws(AuthError) {
    if options.delivery == nil { throw Self.none }
  }

  private nonisolated static var none: AuthError {
    AuthError(server: "OPERATION_NOT_ALLOWED : this provider sends no messages; set LocalOptions.delivery")
  }
}
