package import GatehouseBase

/// Claims that a custom token or an administrator adds to ID tokens.
package enum CustomClaims {
  /// What Firebase's custom tokens are for (`aud`).
  package static let customTokenAudience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
  /// The maximum, in bytes as JSON.
  private static let mostBytes = 1000

  /// Claims that only the provider makes.
  private static let reserved: Set<String> = [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss", "jti", "nbf",
    "nonce", "sub",
    // Ours, and what Firebase puts beside them.
    "sid", "user_id", "email", "email_verified", "phone_number", "provider_id",
  ]

  /// - Throws: `.invalidArgument`, with the server code `FORBIDDEN_CLAIM` or `CLAIMS_TOO_LARGE`.
  package static func check(_ claims: JSONObject) throws(AuthError) {
    if let name = claims.names.first(where: reserved.contains) {
      throw AuthError(
        .invalidArgument, "the claim \(name.printable()) is the provider's own", serverCode: "FORBIDDEN_CLAIM")
    }
    guard claims.serialized().count <= mostBytes else {
      throw AuthError(
        .invalidArgument, "the claims are longer than \(mostBytes) bytes", serverCode: "CLAIMS_TOO_LARGE")
    }
  }
}
