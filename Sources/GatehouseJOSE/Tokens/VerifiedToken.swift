public import GatehouseBase

/// A token that a `TokenVerifier` has verified: signature, key, algorithm, and every rule of its policy.
///
/// Nothing else makes one. It says what was true when it was verified; see `expiry` for how long that may be used.
public struct VerifiedToken: Sendable {
  public let header: TokenHeader
  /// What the token says, signed by the key that `header` names.
  public let claims: JSONObject

  init(header: TokenHeader, claims: JSONObject) {
    self.header = header
    self.claims = claims
  }
}

extension VerifiedToken: TokenClaims {}
