/// The form of a signed message, apart from its key.
public struct MessageForm: Sendable, Hashable {
  /// The message's media type, `typ`.
  public var type: String?
  /// Whether the payload is part of the message; otherwise it is detached (RFC 7515 appendix F).
  public var carriesPayload: Bool
  /// Whether the payload is signed and carried in base64url. If not, it is signed and carried as it is, which the
  /// header then states and marks as critical (RFC 7797).
  public var encodesPayload: Bool

  /// Makes a form; the defaults are those of `usual`.
  public init(type: String? = nil, carriesPayload: Bool = true, encodesPayload: Bool = true) {
    self.type = type
    self.carriesPayload = carriesPayload
    self.encodesPayload = encodesPayload
  }

  /// The payload is part of the message, in base64url.
  public static let usual = MessageForm()

  /// The maximum number of signatures of one message.
  public static let maximumSignatures = 16
}
