import GatehouseBase
import IdentityToolkit

/// The identity providers: those of the options, and those that administrators have configured over the protocol.
struct Identities: ProviderPart {
  let store: ProviderStore
  let resources: Resources

  /// Returns the identity provider with this name, by which the users of a tenant sign in; `nil` if there is none, or
  /// if the tenant's own is switched off.
  ///
  /// The options come first for the project. In a tenant its own configuration does, because the same name may be that
  /// of another issuer.
  func provider(_ id: String, of tenant: String) throws(AuthError) -> IdentityProvider? {
    let given = options.identityProviders.first { $0.id.isExactly(id) }
    if let given, tenant.isEmpty { return given }
    guard let document = try resources.resource(.oauthIdpConfig, id, of: tenant) else { return given }
    guard document["enabled"]?.bool == true, let issuer = document["issuer"]?.string,
      let client = document["clientId"]?.string
    else { return nil }
    return .openIDConnect(id, issuer: issuer, clientIDs: [client])
  }
}
