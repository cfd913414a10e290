public import GatehouseBase
public import GatehouseLocal
import GatehouseQueues

/// Keeps the messages of an emulator in memory, so that tests can read their codes, and passes them on.
///
/// It keeps the last thousand of each kind.
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

  /// Keeps a message, and passes it on.
  public func deliver(_ message: OutgoingMessage) async throws(AuthError) {
    keep(message)
    try await messageDelivery?.deliver(message)
  }

  /// Keeps a message without sending it.
  fileprivate func keep(_ message: OutgoingMessage) {
    kept.withLock { $0.messages = $0.messages.suffix(Self.most - 1) + [message] }
  }

  /// Keeps a text, and passes it on.
  public func deliver(_ text: OutgoingText) async throws(AuthError) {
    kept.withLock { $0.texts = $0.texts.suffix(Self.most - 1) + [text] }
    try await textDelivery?.deliver(text)
  }

  package var messages: [OutgoingMessage] { kept.withLock { $0.messages } }
  package var texts: [OutgoingText] { kept.withLock { $0.texts } }

  private static let most = 1000
}

extension LocalOptions {
  /// Sets the options of an emulator like Firebase's, for tests and development only: every custom token and every
  /// credential of an identity provider is accepted without verification, failures are not limited, an unknown address
  /// is distinguished from a wrong password, and a password costs microseconds to hash, and to guess. Every client can
  /// sign in as every user.
  public mutating func actAsEmulator(signingTokens: Bool = true) {
    signsTokens = signingTokens
    acceptsUnverifiedIdentities = true
    acceptsUnverifiedCustomTokens = true
    allowsAddressAlone = true
    allowsAllDomains = true
    enumerationProtection = false
    passwordCost = .uncheckedForTests
    (throttle, addressThrottle, secondFactorThrottle) = (.unlimited, .unlimited, .unlimited)
    (messageThrottle, signUpThrottle, networkMessageThrottle) = (.unlimited, .unlimited, .unlimited)
    textThrottle = .unlimited
  }

  /// Sends all messages and texts to an outbox, which passes them on to the current deliveries.
  ///
  /// - Returns: The outbox, for `ServerOptions.emulator`.
  public mutating func keepMessages() -> EmulatorOutbox {
    let outbox = EmulatorOutbox(before: self)
    delivery = outbox
    textDelivery = outbox
    linkMade = { outbox.keep($0) }
    return outbox
  }
}
