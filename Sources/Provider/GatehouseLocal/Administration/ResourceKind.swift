/// What an administrator configures over the protocol: a document of JSON with an identifier.
package enum ResourceKind: String, Sendable, CaseIterable {
  /// How a tenant behaves. Its identifier is the tenant's, and it belongs to the project.
  case tenant
  /// An OpenID Connect provider.
  case oauthIdpConfig
  /// A SAML provider.
  case inboundSamlConfig
  /// How the project behaves. There is one, and its identifier is `ProjectConfiguration.id`.
  case project
}
