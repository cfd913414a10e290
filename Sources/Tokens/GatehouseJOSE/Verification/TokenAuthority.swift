public import GatehouseBase

/// Signs the tokens of a project, and tells the keys that verify them: an identity provider in this process.
///
/// Called on background threads; may answer on any thread.
public protocol TokenAuthority: Sendable {
  /// The issuer of its ID tokens (`iss`).
  var issuer: String { get }

  /// The audience of its ID tokens (`aud`): the project.
  var audience: String { get }

  /// The public keys that verify its ID tokens and session cookies, as they are now.
  func keySet() async throws(AuthError) -> JWKSet

  /// Signs a token with which a user signs in.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier.
  ///   - tenantID: the tenant of the user; `nil` for the project itself.
  ///   - claims: what the ID tokens of that session say beside the project's own claims.
  func customToken(
    forUser uid: String, tenantID: String?, claims: JSONObject
  ) async throws(AuthError) -> String
}
