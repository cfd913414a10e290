package import GatehouseBase

/// The checks of claims that a custom token or an administrator adds to ID tokens.
package enum CustomClaims {
  /// The audience (`aud`) of Firebase's custom tokens.
  package static let customTokenAudience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
  /// The maximum length as JSON, in bytes.
  private static let mostBytes = 1000

  /// The claims that only the provider may set.
  private static let reserved: Set<String> = [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss", "jti", "nbf",
    "nonce", "sub",
    // Gatehouse's own claims, and those that Firebase reserves.
    "sid", "user_id", "email", "email_verified", "phone_number", "provider_id",
  ]

  /// - Throws: `.invalidArgument`, with the server code `FORBIDDEN_CLAIM` or `CLAIMS_TOO_LARGE`.
  package static func check(_ claims: JSONObject) throws(AuthError) {
    if let name = claims.names.first(where: reserved.contains) {
      throw AuthError(
        .invalidArgument, "the claim \(name.printable()) is the provider's own", server: .forbiddenClaim)
    }
    guard claims.serialized().count <= mostBytes else {
      throw AuthError(
        .invalidArgument, "the claims are longer than \(mostBytes) bytes", server: .claimsTooLarge)
    }
  }
}
