public import GatehouseBase
public import GatehouseLocal
import GatehouseQueues

/// Keeps the messages of an emulator in memory, so that tests can read their codes, and hands them on.
///
/// It has the last thousand of each kind.
public final class EmulatorOutbox: MessageDelivery, TextDelivery {
  private let messageDelivery: (any MessageDelivery)?
  private let textDelivery: (any TextDelivery)?
  private let kept = Lock<Kept>(Kept())

  private struct Kept: Sendable {
    var messages: [OutgoingMessage] = []
    var texts: [OutgoingText] = []
  }

  fileprivate init(before options: LocalOptions) {
    messageDelivery = options.delivery
    textDelivery = options.textDelivery
  }

  /// Keeps a message, and hands it on.
  public func deliver(_ message: OutgoingMessage) async throws(AuthError) {
    kept.withLock { $0.messages = $0.messages.suffix(Self.most - 1) + [message] }
    try await messageDelivery?.deliver(message)
  }

  /// Keeps a text, and hands it on.
  public func deliver(_ text: OutgoingText) async throws(AuthError) {
    kept.withLock { $0.texts = $0.texts.suffix(Self.most - 1) + [text] }
    try await textDelivery?.deliver(text)
  }

  var messages: [OutgoingMessage] { kept.withLock { $0.messages } }
  var texts: [OutgoingText] { kept.withLock { $0.texts } }

  private static let most = 1000
}

extension LocalOptions {
  /// Sets what Firebase's emulator allows, for tests and development only: every custom token and every credential of
  /// an identity provider is taken at its word, failures are not counted, and an unknown address is told from a wrong
  /// password. Every client can sign in as every user.
  public mutating func actAsEmulator() {
    acceptsUnverifiedIdentities = true
    acceptsUnverifiedCustomTokens = true
    allowsAddressAlone = true
    enumerationProtection = false
    let unlimited = Throttle(attempts: .max, window: .seconds(1))
    (throttle, addressThrottle, secondFactorThrottle, messageThrottle) = (unlimited, unlimited, unlimited, unlimited)
  }

  /// Has all messages and texts go to an outbox, which hands them on to what delivers them now.
  ///
  /// - Returns: the outbox, for `ServerOptions.emulator`.
  public mutating func keepMessages() -> EmulatorOutbox {
    let outbox = EmulatorOutbox(before: self)
    delivery = outbox
    textDelivery = outbox
    return outbox
  }
}
