import GatehouseBase
import GatehouseLocal
import GatehouseQueues

/// Keeps the messages that the provider sends while a command runs.
final class Messages: MessageDelivery {
  private let sent = Lock<[OutgoingMessage]>([])
  /// The mail program that the messages are also given to, if the user has named one.
  private let mail: SendmailDelivery?

  init(mail: SendmailDelivery?) { self.mail = mail }

  func deliver(_ message: OutgoingMessage) async throws(AuthError) {
    try await mail?.deliver(message)
    sent.withLock { $0.append(message) }
  }

  /// The last message.
  var last: OutgoingMessage {
    get throws(AuthError) {
      guard let message = sent.withLock({ $0.last }) else {
        throw AuthError(.internalError, "the provider has sent no message; run the command again")
      }
      return message
    }
  }
}
