import GatehouseBase

// The identity providers of the project, or of one tenant.
extension AdminAuth {
  /// Configures an identity provider.
  ///
  /// - Parameters:
  ///   - config: the provider.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `CONFIGURATION_EXISTS`, `INVALID_CONFIG_ID`, …
  public func createProviderConfig(
    _ config: AuthProviderConfig, timeout: Duration? = nil
  ) async throws -> AuthProviderConfig {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.createProvider(config) }
  }

  /// Configures an identity provider.
  public func createProviderConfig(
    _ config: AuthProviderConfig, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthProviderConfig>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.createProvider(config) }
  }

  /// Returns one identity provider.
  ///
  /// - Parameters:
  ///   - providerID: the provider's identifier.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `CONFIGURATION_NOT_FOUND`, …
  public func getProviderConfig(
    _ providerID: String, timeout: Duration? = nil
  ) async throws -> AuthProviderConfig {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.provider(providerID) }
  }

  /// Returns one identity provider.
  public func getProviderConfig(
    _ providerID: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthProviderConfig>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.provider(providerID) }
  }

  /// Returns a page of the identity providers of a kind.
  ///
  /// - Parameters:
  ///   - kind: the kind.
  ///   - maxResults: the maximum number of providers, 1 to 100.
  ///   - pageToken: the token from the previous page; `nil` for the first page.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, …
  public func listProviderConfigs(
    _ kind: AuthProviderConfig.Kind, maxResults: Int = 100, pageToken: String? = nil, timeout: Duration? = nil
  ) async throws -> ProviderConfigPage {
    try await call(timeout: timeout) { desk throws(AuthError) in
      try await desk.providers(kind, maxResults, pageToken)
    }
  }

  /// Returns a page of the identity providers of a kind.
  public func listProviderConfigs(
    _ kind: AuthProviderConfig.Kind, maxResults: Int = 100, pageToken: String? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<ProviderConfigPage>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.providers(kind, maxResults, pageToken)
    }
  }

  /// Replaces an identity provider's configuration: read it, change it, and pass all of it. If two changes are made at
  /// once, the last one wins.
  ///
  /// - Parameters:
  ///   - config: the provider's new configuration.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Returns: The provider after the change.
  /// - Throws: `.invalidArgument`, with the server code `CONFIGURATION_NOT_FOUND`, …
  public func updateProviderConfig(
    _ config: AuthProviderConfig, timeout: Duration? = nil
  ) async throws -> AuthProviderConfig {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.updateProvider(config) }
  }

  /// Replaces an identity provider's configuration.
  public func updateProviderConfig(
    _ config: AuthProviderConfig, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthProviderConfig>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.updateProvider(config) }
  }

  /// Deletes an identity provider's configuration. Its users stay, but can no longer sign in with it.
  ///
  /// - Parameters:
  ///   - providerID: the provider's identifier.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `CONFIGURATION_NOT_FOUND`, …
  public func deleteProviderConfig(
    _ providerID: String, timeout: Duration? = nil
  ) async throws {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.deleteProvider(providerID) }
  }

  /// Deletes an identity provider's configuration. Its users stay, but can no longer sign in with it.
  public func deleteProviderConfig(
    _ providerID: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.deleteProvider(providerID) }
  }
}
