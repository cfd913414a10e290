import Configuration
import GatehouseBase

/// The settings of the environment. Each is checked when it is made, so that a misspelt variable is told.
struct EnvironmentSettings: Sendable {
  let providerName = "environment"
  private let variables: EnvironmentVariablesProvider

  init(_ environment: [String: String]) throws(AuthError) {
    let own = environment.filter { $0.key.hasPrefix(Setting.prefix) && !$0.value.isEmpty }
    variables = EnvironmentVariablesProvider(
      environmentVariables: own, secretsSpecifier: .dynamic { name, _ in Setting.named(by: name)?.isSecret ?? true })
    for (name, value) in own.sorted(by: { $0.key < $1.key }) {
      guard let setting = Setting.named(by: name) else {
        // All begin alike, and so would be near.
        let names = Setting.plain.map { String($0.variable.dropFirst(Setting.prefix.count)) }
        let nearest = String(name.dropFirst(Setting.prefix.count)).nearest(of: names)
        let advice = nearest.map { "did you mean \(Setting.prefix)\($0)?" }
        throw AuthError(
          .invalidArgument,
          "the variable \(name.printable()) is no setting; \(advice ?? "Docs/configuration.md lists them")")
      }
      // Read as every variable is, under a name of its own: an identity provider's cannot be told from the variable.
      let single = EnvironmentVariablesProvider(environmentVariables: ["VALUE": value])
      let content = try? single.value(forKey: ["value"], type: setting.kind.type).value?.content
      guard let content, setting.kind.value(of: content) != nil else { throw setting.refusal(name, found: value) }
    }
  }
}

extension EnvironmentSettings: FixedSettings {
  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    try variables.value(forKey: key.prepending("gatehouse.provider"), type: type)
  }
}
