import GatehouseBase
import GatehouseQueues
import Logging

/// Passes messages to the app's delivery, off the work queue, each with a deadline.
@WorkQueue
final class Deliveries {
  private nonisolated let environment: ProviderEnvironment
  /// The delivery is the app's code and may block, so it has its own threads. Networks whose messages wait for one take
  /// turns.
  private nonisolated let threads = PoolShare(width: 3)
  private let delays = DeliveryDelays()

  nonisolated init(_ environment: ProviderEnvironment) { self.environment = environment }

  /// The number of deliveries that wait for a thread.
  nonisolated var waiting: Int { threads.waiting }

  /// Whether a call must not wait for its message, because the duration would reveal whether there is an account.
  nonisolated var areSilent: Bool { environment.hidesAnyAccounts }

  /// Delivers a message of a party, or throws the reason why that failed.
  func deliver(_ message: OutgoingMessage, for party: String) async throws(AuthError) {
    try await withinTime(party) { (options) throws(AuthError) in
      guard let delivery = options.delivery else { throw Self.none }
      try await delivery.deliver(message)
    }
  }

  /// Delivers a text of a party to a phone, or throws the reason why that failed.
  func deliver(_ text: OutgoingText, for party: String) async throws(AuthError) {
    try await withinTime(party) { (options) throws(AuthError) in
      guard let delivery = options.textDelivery else { throw Self.noTexts }
      try await delivery.deliver(text)
    }
  }

  private func withinTime(
    _ party: String, _ deliver: @escaping @Sendable (LocalOptions) async throws(AuthError) -> Void
  ) async throws(AuthError) {
    let seconds = environment.options.deliveryTimeout.inSeconds
    let end = Promise<Void, QueueFailure<AuthError>>()
    // The task may outlive this call and everything else that holds the delivery.
    let task = WorkQueue.begin { [threads, environment] in
      let result = await outcome { () throws(AuthError) in
        try await Background.run(on: threads, for: party) { () throws(AuthError) in
          try await deliver(environment.options)
        }
      }
      end.resolve(result.mapError(QueueFailure.work))
    }
    let alarm = environment.time.after(seconds) {
      end.resolve(.failure(.work(.deadlineExceeded("the delivery of a message", after: seconds))))
      task.cancel()
    }
    defer { alarm.cancel() }
    try await end.result().mapError(\.asAuthError).typed()
  }

  /// Delivers a message; a failure is logged.
  func deliverSilently(_ message: OutgoingMessage, for party: String) async {
    let result = await outcome { () throws(AuthError) in try await deliver(message, for: party) }
    guard case .failure(let error) = result else { return }
    await warn("a message (\(message.type.rawValue)) could not be delivered: \(error)")
  }

  /// Delivers a message after a random time; a failure is logged. A message that is kept back takes the same way.
  ///
  /// A delivery takes time from the next calls. Directly after the call that requested it, it would show the caller
  /// that there is an account (decision 154).
  func deliverLater(_ message: OutgoingMessage, isKeptBack: Bool, for party: String) async {
    await delays.delay(by: environment)
    guard isKeptBack else { return await deliverSilently(message, for: party) }
    await Background.run(on: threads, for: party) {}
  }

  /// The number of messages that wait for their time.
  var delayed: Int { delays.count }

  /// Has the waiting messages delivered now.
  func endDelays() { delays.end() }

  /// Has the waiting messages delivered now, and later ones at once.
  func close() { delays.close() }

  /// Writes a warning to the log, whose handler is the app's code.
  func warn(_ line: String) async {
    await Background.run(on: threads) { [environment] in environment.options.logger.warning("\(line)") }
  }

  /// Refuses a call that sends a message if there is no delivery.
  nonisolated func require() throws(AuthError) {
    if environment.options.delivery == nil { throw Self.none }
  }

  /// Refuses a call that sends a text if there is no delivery for texts.
  nonisolated func requireTexts() throws(AuthError) {
    if environment.options.textDelivery == nil { throw Self.noTexts }
  }

  private nonisolated static var noTexts: AuthError {
    AuthError(
      server: .operationNotAllowed,
      "this provider sends nothing to phones; set textDelivery.by in provider.json, or "
        + "LocalOptions.textDelivery")
  }

  private nonisolated static var none: AuthError {
    AuthError(
      server: .operationNotAllowed,
      "this provider sends no messages; set delivery.by in provider.json, or "
        + "LocalOptions.delivery")
  }
}
