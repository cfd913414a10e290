import GatehouseBase
import IdentityToolkit

extension Provider {
  /// Returns an OpenID Connect provider that an administrator has configured and enabled over the protocol.
  func configuredProvider(_ id: String, of tenant: String) throws(AuthError) -> IdentityProvider? {
    guard let document = try resource(.oauthIdpConfig, id, of: tenant), document["enabled"]?.bool == true,
      let issuer = document["issuer"]?.string, let client = document["clientId"]?.string
    else { return nil }
    return .openIDConnect(id, issuer: issuer, clientIDs: [client])
  }
}
