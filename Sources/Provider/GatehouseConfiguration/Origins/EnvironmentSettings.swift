import Configuration
import GatehouseBase

/// The settings of the environment. Each is checked when it is made, so that a misspelled variable is reported.
struct EnvironmentSettings: Sendable {
  let providerName = "environment"
  private let variables: EnvironmentVariablesProvider
  /// The variables that are set, sorted.
  private let names: [String]

  /// - Parameter entries: the entries `NAME=value`, byte for byte.
  init(entries: [[UInt8]]) throws(AuthError) {
    var environment: [String: String] = [:]
    for entry in entries where entry.starts(with: Setting.prefix.utf8) {
      let parts = entry.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      // Replacing invalid bytes would change the value.
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
        // Compare without the common prefix, which would make all names similar.
        let names = Setting.plain.map { String($0.variable.dropFirst(Setting.prefix.count)) }
        let nearest = String(name.dropFirst(Setting.prefix.count)).nearest(of: names)
        let advice = nearest.map { "did you mean \(Setting.prefix)\($0)?" }
        throw AuthError(
          .invalidArgument,
          "the variable \(name.printable()) is no setting; \(advice ?? "Docs/configuration.md lists them")")
      }
      // Parsed like every variable, but under another name, because a variable does not determine the name of an
      // identity provider.
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
