public import GatehouseBase

/// Size limits of a token. A longer one throws `tokenTooLarge` before it is decoded.
public struct TokenLimits: Sendable, Hashable {
  /// The maximum length of a token, in characters.
  public var token: Int
  /// The maximum length of a header, in base64url characters.
  public var header: Int
  /// The limits of depth and size for the JSON of header and claims.
  public var json: JSONLimits

  /// Makes limits, in characters; the defaults are those of `standard`.
  public init(token: Int = 16 << 10, header: Int = 4 << 10, json: JSONLimits = .standard) {
    self.token = token
    self.header = header
    self.json = json
  }

  /// Tokens of 16 KiB with headers of 4 KiB, and JSON's standard limits.
  public static let standard = TokenLimits()
  /// Tokens of 64 KiB with headers of 48 KiB: room for a certificate chain, which is base64-encoded twice.
  public static let withCertificates = TokenLimits(token: 64 << 10, header: 48 << 10)
}
