package import GatehouseBase

/// Has an access token for each call of an administrator. Called on background threads.
package protocol AdministratorAuthorization: Sendable {
  /// The project, and a token that is good for some time yet.
  func authorization() async throws(AuthError) -> (projectID: String, token: Secret)

  /// Hears that a server has refused a token: the next one is to be another one.
  func refused(_ token: Secret) async
}
