import GatehouseBase
import IdentityToolkit

/// The identity providers that administrators have configured over the protocol.
struct Identities: ProviderPart {
  let store: ProviderStore
  let resources: Resources

  /// Returns an OpenID Connect provider that an administrator has configured and enabled over the protocol.
  func provider(_ id: String, of tenant: String) throws(AuthError) -> IdentityProvider? {
    guard let document = try resources.resource(.oauthIdpConfig, id, of: tenant), document["enabled"]?.bool == true,
      let issuer = document["issuer"]?.string, let client = document["clientId"]?.string
    else { return nil }
    return .openIDConnect(id, issuer: issuer, clientIDs: [client])
  }
}
