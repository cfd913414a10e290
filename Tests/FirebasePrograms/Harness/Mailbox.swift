import GatehouseBase
import GatehouseLocal
import Synchronization

/// The mailboxes and phones of all users.
final class Mailbox: MessageDelivery, TextDelivery {
  static let shared = Mailbox()

  private let messages = Mutex<[OutgoingMessage]>([])
  private let texts = Mutex<[OutgoingText]>([])

  func deliver(_ message: OutgoingMessage) async throws(AuthError) { messages.withLock { $0.append(message) } }
  func deliver(_ text: OutgoingText) async throws(AuthError) { texts.withLock { $0.append(text) } }

  /// The code of the message that came, or will come, to an address; the message is thrown away.
  func code(to recipient: String) async -> String { await message(to: recipient).code.revealed }

  /// The link of the message that came, or will come, to an address; the message is thrown away.
  func link(to recipient: String) async -> String { await message(to: recipient).link.revealed }

  /// The code that came, or will come, to a phone; the text is thrown away.
  func code(toPhone number: String) async -> String {
    while true {
      let text = texts.withLock { texts -> OutgoingText? in
        guard let index = texts.firstIndex(where: { $0.phoneNumber == number }) else { return nil }
        return texts.remove(at: index)
      }
      if let text { return text.code.revealed }
      await Task.yield()
    }
  }

  private func message(to recipient: String) async -> OutgoingMessage {
    while true {
      let message = messages.withLock { messages -> OutgoingMessage? in
        guard let index = messages.firstIndex(where: { $0.recipient == recipient }) else { return nil }
        return messages.remove(at: index)
      }
      if let message { return message }
      await Task.yield()
    }
  }
}
