import GatehouseBase
import GatehouseLocal

/// Receives the messages that the stage's provider sends. They arrive after the provider's answers, which do not wait
/// for delivery.
final class StageOutbox: MessageDelivery {
  private let (messages, arrivals) = AsyncStream.makeStream(of: OutgoingMessage.self)

  func deliver(_ message: OutgoingMessage) async throws(AuthError) { arrivals.yield(message) }

  /// Waits for the next message, and returns it.
  func next() async throws(AuthError) -> OutgoingMessage {
    for await message in messages { return message }
    throw .cancelled
  }
}
