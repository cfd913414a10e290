public import GatehouseBase

/// A token that was parsed but not verified: anyone may have written it.
///
/// Use it to plan a refresh or to show the claims, never to authorize a request: no server API accepts this type.
public struct UnverifiedToken: Sendable {
  /// The header, not verified.
  public let header: TokenHeader
  /// The claims of the token, not verified.
  public var claims: JSONObject { payload.object }
  let payload: ScannedObject

  /// Parses a token: sizes, structure, canonical base64url, strict JSON.
  public init(_ token: String, limits: TokenLimits = .standard) throws {
    let text = token.utf8.span
    let parts = try CompactJWS(text, limits: limits)
    header = try TokenHeader(
      JSONObject(reading: Base64URL.bytes(of: text.extracting(parts.header)), limits: limits.json))
    payload = try ScannedObject(parsing: Base64URL.bytes(of: text.extracting(parts.payload)), limits: limits.json)
    _ = try Base64URL.bytes(of: text.extracting(parts.signature))
  }
}

extension UnverifiedToken: TokenClaims {
  /// A claim by name, not verified.
  public subscript(_ name: String) -> JSONValue? { payload[name] }
}

extension UnverifiedToken: CustomStringConvertible, CustomReflectable {
  private var summary: TokenSummary { TokenSummary("UnverifiedToken", self, header) }
  /// The issuer, the subject, the audiences, the times, the algorithm and the key ID: never the token's text or its
  /// signature.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}
