package import GatehouseBase

/// The claims of an ID token that a provider has just sent. Nothing is verified: the provider is trusted.
package struct UnverifiedIDToken: Sendable {
  /// The user whom the token names.
  package let uid: String
  /// `iat` and `exp`.
  private let issued, expiry: Int64?

  /// The lifetime in seconds that is assumed if neither the answer nor its token states one.
  package static let assumedLifetime = 300.0

  /// Reads a token. A server may send one of any length, so this is no work for a queue that others wait for.
  ///
  /// - Returns: `nil` for text that is no token, or that names no user.
  package init?(_ idToken: Secret) {
    let parts = idToken.revealed.split(separator: ".", omittingEmptySubsequences: false)
    let claims = parts.count == 3 ? try? JSONObject(reading: Base64URL.bytes(of: String(parts[1]))) : nil
    guard let claims, let uid = claims["sub"]?.string, !uid.isEmpty else { return nil }
    self.uid = uid
    issued = claims["iat"]?.integer
    expiry = claims["exp"]?.integer
  }

  /// The seconds from the token's issue to its expiry. A token without `iat` counts from its receipt, and one without
  /// `exp` has `assumedLifetime`: an unknown lifetime is not zero, which would cause a refresh at once.
  ///
  /// - Parameter received: the wall clock at the receipt, in seconds since 1970.
  package func lifetimeSeconds(received: Double) -> Double {
    guard let expiry else { return Self.assumedLifetime }
    return max(Double(expiry) - (issued.map(Double.init) ?? received), 0)
  }
}
