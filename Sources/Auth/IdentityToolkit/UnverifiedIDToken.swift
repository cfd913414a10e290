package import GatehouseBase

/// The claims of an ID token that a provider has just sent. Nothing is verified: the provider is trusted.
package struct UnverifiedIDToken: Sendable {
  /// The user whom the token names.
  package let uid: String
  /// The time from the token's issue to its expiry; zero if the token does not contain it, so that the token is
  /// refreshed at once.
  package let lifetimeSeconds: Double

  /// Reads a token. A server may send one of any length, so this is no work for a queue that others wait for.
  ///
  /// - Returns: `nil` for text that is no token, or that names no user.
  package init?(_ idToken: Secret) {
    let parts = idToken.revealed.split(separator: ".", omittingEmptySubsequences: false)
    let claims = parts.count == 3 ? try? JSONObject(reading: Base64URL.bytes(of: String(parts[1]))) : nil
    guard let claims, let uid = claims["sub"]?.string, !uid.isEmpty else { return nil }
    self.uid = uid
    let life = claims["exp"]?.integer.flatMap { end in
      claims["iat"]?.integer.map { end.subtractingReportingOverflow($0) }
    }
    lifetimeSeconds = life.map { $0.overflow ? 0 : Double(max($0.partialValue, 0)) } ?? 0
  }
}
