import GatehouseBase
import GatehouseConfiguration
import GatehouseLocal
import GatehouseSystem

extension HomeOptions {
  /// What the tokens of the home's own provider name; where there is no home, what they name by default.
  func ownTokens() async throws(AuthError) -> OwnTokens {
    guard let home = try? home() else { return OwnTokens(LocalOptions()) }
    return OwnTokens(try await home.settingsInForce().options)
  }
}

extension Home {
  /// The provider's settings: those of the environment, then those of `provider.json`, then the command's own.
  func settingsInForce() async throws(AuthError) -> SettingsInForce {
    var base = LocalOptions()
    // The accounts are those of the person at the terminal, who wants to know what is wrong.
    base.enumerationProtection = false
    return try await settingsInForce(over: base, standards: ["enumerationProtection": "false"])
  }

  /// The provider's settings over those of a command.
  ///
  /// - Parameter standards: what the base has in place of a setting's default, by key.
  func settingsInForce(
    over base: LocalOptions, standards: [String: String] = [:]
  ) async throws(AuthError) -> SettingsInForce {
    var providers = [try ProviderSettings.environment()]
    let hasFile = try looking(at: settings) { () throws(SystemError) in
      try FileStatus.at(settings) != nil  // a link that leads nowhere is a mistake, and not "no settings"
    }
    if hasFile { providers.append(try ProviderSettings.file(settings)) }
    var inForce = try await SettingsInForce(
      providers: providers, over: base, standards: standards)
    if let seconds = givenLifetime() {
      inForce.setTokenLifetime(.seconds(seconds), by: "environment, \(Self.lifetimeVariable)")
    }
    return inForce
  }
}
