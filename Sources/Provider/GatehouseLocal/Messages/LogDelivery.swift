public import GatehouseBase
public import Logging

/// Writes messages to a log, with their links. For development only, because every reader of the log can use the codes.
public struct LogDelivery: MessageDelivery, TextDelivery {
  private let logger: Logger

  /// Writes to this logger, at the level `notice`.
  public init(_ logger: Logger = Logger(label: "gatehouse.messages")) { self.logger = logger }

  /// Writes the message to the log.
  public func deliver(_ message: OutgoingMessage) async throws(AuthError) {
    logger.notice("to \(message.recipient): \(message.subject)\n\(message.text.revealed)")
  }

  /// Writes the text to the log.
  public func deliver(_ text: OutgoingText) async throws(AuthError) {
    logger.notice("to \(text.phoneNumber): \(text.text.revealed)")
  }
}
