import Configuration
import GatehouseBase

/// The settings of the environment. Each is checked when it is made, so that a misspelt variable is told.
struct EnvironmentSettings: Sendable {
  let providerName = "environment"
  private let variables: EnvironmentVariablesProvider
  /// The variables that set something, in order.
  private let names: [String]

  /// - Parameter entries: `NAME=value`, byte for byte.
  init(entries: [[UInt8]]) throws(AuthError) {
    var environment: [String: String] = [:]
    for entry in entries where entry.starts(with: Setting.prefix.utf8) {
      let parts = entry.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      // Bytes that were replaced would be another value.
      let text = parts.map { String(validating: $0, as: UTF8.self) }
      guard let name = text.first ?? nil, let value = text.count > 1 ? text[1] : "" else {
        let name = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? Setting.prefix
        throw AuthError(.invalidArgument, "the variable \(name.printable()) is not UTF-8; set it anew, or unset it")
      }
      environment[name] = value
    }
    try self.init(environment)
  }

  init(_ environment: [String: String]) throws(AuthError) {
    let own = environment.filter { $0.key.hasPrefix(Setting.prefix) && !$0.value.isEmpty }
    names = own.keys.sorted()
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
  func first(of family: SettingFamily) -> String? {
    let start = Setting.prefix + Setting.spelled(family.rawValue) + "_"
    return names.first { $0.hasPrefix(start) }.map { "the variable \($0.printable())" }
  }

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    try variables.value(forKey: key.prepending("gatehouse.provider"), type: type)
  }
}
