import GatehouseBase
import GatehouseConfiguration
import GatehouseLocal
import GatehouseSystem

extension HomeOptions {
  /// Returns the issuer and the project in the tokens of the home's own provider. If there is no home, these are the
  /// defaults.
  func ownTokens() async throws(AuthError) -> OwnTokens {
    guard let home = try? home() else { return OwnTokens(LocalOptions()) }
    return OwnTokens(try await home.settingsInForce().options)
  }
}

extension Home {
  /// Returns the provider's settings: those of the environment come first, then those of `provider.json`, then the
  /// command's own.
  func settingsInForce() async throws(AuthError) -> SettingsInForce {
    var base = LocalOptions()
    // The accounts belong to the person at the terminal, who wants to know what is wrong.
    base.enumerationProtection = false
    base.projectID = try projectName() ?? base.projectID
    return try await settingsInForce(over: base, standards: ["enumerationProtection": "false"])
  }

  /// Returns the provider's settings. They override those of a command.
  ///
  /// - Parameter standards: the values that the command uses in place of the settings' defaults, by key.
  func settingsInForce(
    over base: LocalOptions, standards: [String: String] = [:]
  ) async throws(AuthError) -> SettingsInForce {
    var providers = [try typed { try ProviderSettings.environment() }]
    let hasFile = try looking(at: settings) { () throws(SystemError) in
      try FileStatus.at(settings) != nil  // a link that leads nowhere is an error, not "no settings"
    }
    if hasFile { providers.append(try typed { try ProviderSettings.file(settings) }) }
    var inForce = try await SettingsInForce(
      providers: providers, over: base, standards: standards)
    if let seconds = givenLifetime() {
      inForce.setTokenLifetime(.seconds(seconds), by: "environment, \(Self.lifetimeVariable)")
    }
    return inForce
  }
}
