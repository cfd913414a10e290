package import Configuration
package import GatehouseBase
package import GatehouseLocal
import GatehouseQueues

/// Options that were read, with the value and origin of each setting.
package struct SettingsInForce: Sendable {
  package struct Row: Sendable {
    package let setting: Setting
    /// The value for people to read; a secret is `•••`.
    package let value: String
    /// `environment, GATEHOUSE_PROVIDER_…` or `FILE, line 3, column 5`; `nil` for a default.
    package let source: String?
  }

  package private(set) var options: LocalOptions
  /// Every plain setting, and the settings of the identity providers and languages that are listed.
  package private(set) var rows: [Row]

  /// Reads the options, like `LocalOptions.init(reading:over:)`.
  ///
  /// - Parameter standards: the base's values that differ from a setting's default, by key.
  package init(
    providers: [any ConfigProvider], over base: LocalOptions, standards: [String: String] = [:]
  ) async throws(AuthError) {
    let values = try await SettingValues(reading: ConfigReader(providers: providers))
    let options = try LocalOptions(values, over: base)
    self.options = options
    var standards = standards
    standards["issuer"] = options.issuerName
    let listed = SettingFamily.allCases.flatMap { family in
      (values.list(family.listKey) ?? []).flatMap(family.settings)
    }
    rows = (Setting.plain + listed).map { setting in
      Row(
        setting: setting, value: values.shown(setting) ?? standards[setting.key] ?? setting.standard,
        source: values.place(of: setting.key))
    }
  }

  /// Sets the lifetime of tokens, for a program that sets it in its own way.
  package mutating func setTokenLifetime(_ lifetime: Duration, by source: String) {
    options.tokenLifetime = lifetime
    rows = rows.map { row in
      guard row.setting.key == "tokenLifetime" else { return row }
      return Row(setting: row.setting, value: SettingDuration.text(lifetime.wholeSeconds), source: source)
    }
  }
}
