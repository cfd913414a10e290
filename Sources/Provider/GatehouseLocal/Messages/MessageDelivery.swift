public import GatehouseBase
public import IdentityToolkit

/// Delivers the provider's messages to people. `FileDelivery` and `LogDelivery` are two implementations.
public protocol MessageDelivery: Sendable {
  /// Delivers one message. Called on a background thread; several deliveries may run at once. The task is cancelled if
  /// it takes longer than `LocalOptions.deliveryTimeout`.
  ///
  /// - Throws: The reason why the message could not be delivered. Without enumeration protection, the caller of the
  ///   provider gets that error. With it, the error is logged, because waiting for the delivery would reveal that the
  ///   account exists.
  func deliver(_ message: OutgoingMessage) async throws(AuthError)
}

/// A message to a person. Its link contains the code, so every reader of the message can use the code.
public struct OutgoingMessage: Sendable, Hashable {
  /// The purpose of the message.
  public let type: ActionCodeType
  /// The address of the recipient.
  public let recipient: String
  /// The account; `nil` if a sign-in may create one.
  public let uid: String?
  /// The link, with the code.
  public let link: Secret
  /// The code alone.
  public let code: Secret
  /// For a change of the address, the new address. Another person may have chosen it: do not show it in a message, as
  /// mail programs make links of it. `text` names it if it may.
  public let newEmail: String?
  /// The requested language, as a BCP 47 tag.
  public let locale: String?
  /// The subject, in that language if there is a template for it.
  public let subject: String
  /// The text, with the link in it.
  public let text: Secret
}
