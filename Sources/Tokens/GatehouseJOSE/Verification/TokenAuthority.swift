public import GatehouseBase

/// Signs the tokens of a project, and provides the keys that verify them: an identity provider in this process.
///
/// Called on background threads; may return on any thread.
public protocol TokenAuthority: Sendable {
  /// The issuer of its ID tokens (`iss`).
  var issuer: String { get }

  /// The audience of its ID tokens (`aud`): the project.
  var audience: String { get }

  /// Returns the current public keys that verify its ID tokens and session cookies.
  func keySet() async throws -> JWKSet

  /// Signs a token with which a user signs in.
  ///
  /// - Parameters:
  ///   - uid: the user's ID.
  ///   - tenantID: the tenant of the user; `nil` for the project itself.
  ///   - claims: claims for the ID tokens of that session besides the project's own.
  func customToken(
    forUser uid: String, tenantID: String?, claims: JSONObject
  ) async throws -> String
}
