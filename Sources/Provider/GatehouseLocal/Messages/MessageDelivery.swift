public import GatehouseBase
public import IdentityToolkit

/// Brings messages to people: the provider's way out. `FileDelivery` and `LogDelivery` are two.
public protocol MessageDelivery: Sendable {
  /// Delivers one message. Called on a background thread, several at once; the task is cancelled when it takes longer
  /// than `LocalOptions.deliveryTimeout`.
  ///
  /// - Throws: why the message could not be delivered. Without enumeration protection the caller of the provider gets
  ///   that error; with it the error goes to the log, because an answer that waited would tell that the account exists.
  func deliver(_ message: OutgoingMessage) async throws(AuthError)
}

/// A message to a person. Its link holds the code: every reader of the message can use it.
public struct OutgoingMessage: Sendable, Hashable {
  /// What the message is for.
  public let type: ActionCodeType
  /// The address of the recipient.
  public let recipient: String
  /// The account; `nil` where a sign-in may make one.
  public let uid: String?
  /// The link, with the code.
  public let link: Secret
  /// The code alone.
  public let code: Secret
  /// Of a change of the address, the later address.
  public let newEmail: String?
  /// The language that was asked for, as a BCP 47 tag.
  public let locale: String?
  /// The subject, in that language where there is a template for it.
  public let subject: String
  /// The text, with the link in it.
  public let text: Secret
}
