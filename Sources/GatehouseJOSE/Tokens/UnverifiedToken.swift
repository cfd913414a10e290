public import GatehouseBase

/// A token that was taken apart and not verified: anybody may have written it.
///
/// Good enough to plan a refresh or to show what a token says, never to let somebody in: no server takes this type.
public struct UnverifiedToken: Sendable {
  public let header: TokenHeader
  /// What the token says of itself.
  public let claims: JSONObject

  /// Takes a token apart: sizes, structure, canonical base64url, strict JSON.
  public init(_ token: String, limits: TokenLimits = .standard) throws(AuthError) {
    let parts = try CompactJWS(token, limits: limits)
    header = parts.header
    claims = try JSONObject(parsing: parts.payload)
  }
}

extension UnverifiedToken: TokenClaims {}
