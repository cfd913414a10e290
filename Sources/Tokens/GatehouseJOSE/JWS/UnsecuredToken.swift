public import GatehouseBase

/// A token without a signature: `alg` is `none` (RFC 7519 §6). Firebase's emulator makes such tokens.
///
/// No verifier accepts one, and this type accepts no signed token.
public struct UnsecuredToken: Sendable {
  /// The header; `alg` is `none`.
  public let header: TokenHeader
  /// The claims. They are not protected.
  public let claims: JSONObject

  /// Throws `algorithmRefused` for a token with any other algorithm, and `tokenMalformed` for one with a signature.
  public init(_ token: String, limits: TokenLimits = .standard) throws {
    guard token.utf8.last == UInt8(ascii: ".") else {
      throw AuthError(.tokenMalformed, "an unsecured token must end in a dot")
    }
    // With a placeholder signature it has the form of any token.
    let text = token + "AA"
    let bytes = text.utf8.span
    let parts = try CompactJWS(bytes, limits: limits)
    header = try TokenHeader(
      JSONObject(reading: Base64URL.bytes(of: bytes.extracting(parts.header)), limits: limits.json))
    guard header.algorithm.isExactly("none") else {
      throw AuthError(.algorithmRefused, "`alg` is not `none`: verify this token")
    }
    try header.refuseExtensions()
    claims = try JSONObject(reading: Base64URL.bytes(of: bytes.extracting(parts.payload)), limits: limits.json)
  }
}

extension UnsecuredToken: TokenClaims {}

extension UnsecuredToken: CustomStringConvertible, CustomReflectable {
  private var summary: TokenSummary { TokenSummary("UnsecuredToken", self, header) }
  /// The issuer, the subject, the audiences, the times, the algorithm and the key ID: never the token's text or its
  /// signature.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}
