import GatehouseBase
import GatehouseConfiguration
import GatehouseLocal
import GatehouseSystem

extension Home {
  /// The provider's settings: those of the environment, then those of `provider.json`, then the command's own.
  func settingsInForce() async throws(AuthError) -> SettingsInForce {
    var base = LocalOptions()
    // The accounts are those of the person at the terminal, who wants to know what is wrong.
    base.enumerationProtection = false
    var providers = [try ProviderSettings.environment()]
    let hasFile = try looking(at: settings) { () throws(SystemError) in
      try FileStatus.at(settings, followingLink: true) != nil
    }
    if hasFile { providers.append(try ProviderSettings.file(settings)) }
    var inForce = try await SettingsInForce(
      providers: providers, over: base, standards: ["enumerationProtection": "false"])
    // `gate verify` knows the home's own tokens by them.
    for row in inForce.rows where ["projectID", "issuer"].contains(row.setting.key) {
      guard let source = row.source else { continue }
      throw AuthError(
        .invalidArgument, "\(source): \(row.setting.key) cannot be set for gate; remove it")
    }
    if let seconds = givenLifetime() {
      inForce.setTokenLifetime(.seconds(seconds), by: "environment, \(Self.lifetimeVariable)")
    }
    return inForce
  }
}
