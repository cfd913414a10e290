public import GatehouseBase

/// Delivers short texts to phones: the provider's way to send codes by SMS. `FileDelivery` and `LogDelivery` are two
/// implementations for development.
public protocol TextDelivery: Sendable {
  /// Delivers one text. Called on a background thread; several deliveries may run at once. The task is cancelled if it
  /// takes longer than `LocalOptions.deliveryTimeout`.
  ///
  /// - Throws: The reason why the text could not be delivered. The caller of the provider gets that error.
  func deliver(_ text: OutgoingText) async throws(AuthError)
}

/// A text to a phone. Every reader can use its code.
public struct OutgoingText: Sendable, Hashable {
  /// The phone's number in E.164 form.
  public let phoneNumber: String
  /// The code alone.
  public let code: Secret
  /// The requested language, as a BCP 47 tag.
  public let locale: String?
  /// The text, with the code in it.
  public let text: Secret

  /// The message's identifier, which only the caller gets otherwise. For an emulator, whose users read both.
  package var sessionInfo: Secret?

  /// Makes a text, for tests of a delivery.
  public init(phoneNumber: String, code: Secret, locale: String? = nil, text: Secret) {
    self.phoneNumber = phoneNumber
    self.code = code
    self.locale = locale
    self.text = text
  }
}
