import GatehouseBase
import GatehouseLocal

/// Takes the messages that the stage's provider sends: after its answers, which do not wait for a delivery.
final class StageOutbox: MessageDelivery {
  private let (messages, arrivals) = AsyncStream.makeStream(of: OutgoingMessage.self)

  func deliver(_ message: OutgoingMessage) async throws(AuthError) { arrivals.yield(message) }

  /// The next message, once it is there.
  func next() async throws(AuthError) -> OutgoingMessage {
    for await message in messages { return message }
    throw .cancelled
  }
}
