public import GatehouseBase

/// How much a token may be. What is longer is refused with `tokenTooLarge` before it is decoded.
public struct TokenLimits: Sendable, Hashable {
  /// The longest token, in characters.
  public var token: Int
  /// The longest header, in characters of base64url.
  public var header: Int
  /// How deep and how wide the JSON of header and claims may be.
  public var json: JSONLimits

  /// Limits in characters; the defaults are those of `standard`.
  public init(token: Int = 16 << 10, header: Int = 4 << 10, json: JSONLimits = .standard) {
    self.token = token
    self.header = header
    self.json = json
  }

  /// Tokens of 16 KiB with headers of 4 KiB, and JSON's standard limits.
  public static let standard = TokenLimits()
  /// Tokens of 64 KiB with headers of 48 KiB: room for a chain of certificates, which base64 spells twice.
  public static let withCertificates = TokenLimits(token: 64 << 10, header: 48 << 10)
}
