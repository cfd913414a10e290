import GatehouseBase
import IdentityToolkit

extension AdminDesk {
  func createProvider(_ config: AuthProviderConfig) async throws(AuthError) -> AuthProviderConfig {
    let kind = try AuthProviderConfig.Kind(of: config)
    return try AuthProviderConfig(
      kind, try await answer(CreateResource(kind.resource, newID: config.providerID, config.json)).json)
  }

  func provider(_ id: String) async throws(AuthError) -> AuthProviderConfig {
    let kind = try AuthProviderConfig.Kind(of: id)
    return try AuthProviderConfig(kind, try await answer(ReadResource(kind.resource, id)).json)
  }

  func providers(
    _ kind: AuthProviderConfig.Kind, _ maxResults: Int, _ pageToken: String?
  ) async throws(AuthError) -> ProviderConfigPage {
    let page = try await page(of: kind.resource, maxResults, pageToken)
    return ProviderConfigPage(
      providerConfigs: try page.documents.map { json throws(AuthError) in try AuthProviderConfig(kind, json) },
      nextPageToken: page.nextPageToken)
  }

  func updateProvider(_ config: AuthProviderConfig) async throws(AuthError) -> AuthProviderConfig {
    let kind = try AuthProviderConfig.Kind(of: config)
    let call = UpdateResource(kind.resource, config.providerID, config.json, mask: config.mask)
    return try AuthProviderConfig(kind, try await answer(call).json)
  }

  func deleteProvider(_ id: String) async throws(AuthError) {
    _ = try await answer(DeleteResource(AuthProviderConfig.Kind(of: id).resource, id))
  }
}

extension AuthProviderConfig.Kind {
  /// The kind of a provider. Its identifier must be of the same kind.
  fileprivate init(of config: AuthProviderConfig) throws(AuthError) {
    let isOIDC = if case .oidc = config { true } else { false }
    try self.init(of: config.providerID)
    guard isOIDC == (self == .oidc) else { throw AuthError(server: .invalidConfigID) }
  }
}
