/// How long a token may be. What is longer is refused with `tokenTooLarge` before it is decoded.
public struct TokenLimits: Sendable, Hashable {
  /// The longest token, in characters.
  public var token: Int
  /// The longest header, in characters of base64url.
  public var header: Int

  public init(token: Int = 16 << 10, header: Int = 4 << 10) {
    self.token = token
    self.header = header
  }

  /// Tokens of 16 KiB with headers of 4 KiB.
  public static let standard = TokenLimits()
}
