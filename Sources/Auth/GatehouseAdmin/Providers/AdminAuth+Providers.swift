public import GatehouseBase

// The identity providers of the project, or of one tenant.
extension AdminAuth {
  /// Configures an identity provider.
  ///
  /// - Parameters:
  ///   - config: the provider.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `CONFIGURATION_EXISTS`, `INVALID_CONFIG_ID`, …
  public func createProviderConfig(
    _ config: AuthProviderConfig, timeout: Duration? = nil
  ) async throws(AuthError) -> AuthProviderConfig {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.createProvider(config) }
  }

  /// Configures an identity provider.
  public func createProviderConfig(
    _ config: AuthProviderConfig, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthProviderConfig>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.createProvider(config) }
  }

  /// One identity provider.
  ///
  /// - Parameters:
  ///   - providerID: the provider's identifier.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `CONFIGURATION_NOT_FOUND`, …
  public func getProviderConfig(
    _ providerID: String, timeout: Duration? = nil
  ) async throws(AuthError) -> AuthProviderConfig {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.provider(providerID) }
  }

  /// One identity provider.
  public func getProviderConfig(
    _ providerID: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthProviderConfig>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.provider(providerID) }
  }

  /// Some of the identity providers of a kind.
  ///
  /// - Parameters:
  ///   - kind: the kind.
  ///   - maxResults: how many at most, 1 to 100.
  ///   - pageToken: names the page, by the page before; `nil` for the first one.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, …
  public func listProviderConfigs(
    _ kind: AuthProviderConfig.Kind, maxResults: Int = 100, pageToken: String? = nil, timeout: Duration? = nil
  ) async throws(AuthError) -> ProviderConfigPage {
    try await call(timeout: timeout) { desk throws(AuthError) in
      try await desk.providers(kind, maxResults, pageToken)
    }
  }

  /// Some of the identity providers of a kind.
  public func listProviderConfigs(
    _ kind: AuthProviderConfig.Kind, maxResults: Int = 100, pageToken: String? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<ProviderConfigPage>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.providers(kind, maxResults, pageToken)
    }
  }

  /// Configures an identity provider otherwise: read it, change it, and give all of it. Of two changes at once the last
  /// one counts.
  ///
  /// - Parameters:
  ///   - config: the provider as it is to be.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Returns: the provider as it is then.
  /// - Throws: `.invalidArgument`, with the server code `CONFIGURATION_NOT_FOUND`, …
  public func updateProviderConfig(
    _ config: AuthProviderConfig, timeout: Duration? = nil
  ) async throws(AuthError) -> AuthProviderConfig {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.updateProvider(config) }
  }

  /// Configures an identity provider otherwise.
  public func updateProviderConfig(
    _ config: AuthProviderConfig, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthProviderConfig>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.updateProvider(config) }
  }

  /// Deletes an identity provider's configuration. Its users stay, and cannot sign in with it any more.
  ///
  /// - Parameters:
  ///   - providerID: the provider's identifier.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `CONFIGURATION_NOT_FOUND`, …
  public func deleteProviderConfig(
    _ providerID: String, timeout: Duration? = nil
  ) async throws(AuthError) {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.deleteProvider(providerID) }
  }

  /// Deletes an identity provider's configuration. Its users stay, and cannot sign in with it any more.
  public func deleteProviderConfig(
    _ providerID: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.deleteProvider(providerID) }
  }
}
