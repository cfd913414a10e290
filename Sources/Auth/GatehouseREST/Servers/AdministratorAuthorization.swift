package import GatehouseBase

/// Provides an access token for each call of an administrator. Called on background threads.
package protocol AdministratorAuthorization: Sendable {
  /// Returns the project, and a token that stays valid for some time.
  func authorization() async throws(AuthError) -> (projectID: String, token: Secret)

  /// Called when a server has refused a token. The next authorization must return another one.
  func refused(_ token: Secret) async
}
