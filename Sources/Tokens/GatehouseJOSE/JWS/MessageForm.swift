/// How a signed message is written, besides its key.
public struct MessageForm: Sendable, Hashable {
  /// The message's media type, `typ`.
  public var type: String?
  /// Whether the payload is part of the message; otherwise it is detached (RFC 7515 appendix F).
  public var carriesPayload: Bool
  /// Whether the payload is signed and carried in base64url; otherwise as it is, which the header then says and marks
  /// as critical (RFC 7797).
  public var encodesPayload: Bool

  /// A form; the defaults are those of `usual`.
  public init(type: String? = nil, carriesPayload: Bool = true, encodesPayload: Bool = true) {
    self.type = type
    self.carriesPayload = carriesPayload
    self.encodesPayload = encodesPayload
  }

  /// With its payload, in base64url.
  public static let usual = MessageForm()

  /// The most signatures that one message may have.
  public static let maximumSignatures = 16
}
