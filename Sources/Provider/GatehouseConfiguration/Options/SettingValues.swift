import Configuration
import GatehouseBase
import GatehouseLocal

/// The settings that were set, by key.
struct SettingValues: Sendable {
  private var values: [String: SettingValue] = [:]
  private let places = SettingPlaces()

  /// Reads every setting from a reader, including those of the listed names.
  init(reading config: ConfigReader) async throws(AuthError) {
    for setting in Setting.plain { try await read(setting, config) }
    for family in SettingFamily.allCases {
      guard let names = list(family.listKey) else {
        if let setting = places.unlisted(family) {
          throw AuthError(
            .invalidArgument, "\(setting) has no effect: \(family.listKey) is not set; list its name there")
        }
        continue
      }
      for name in names {
        guard family.allows(name) else {
          throw mistake(
            at: [family.listKey],
            "\(family.listKey) must have names of ASCII letters, digits, periods, hyphens and underscores, and has "
              + name.printable())
        }
        for setting in family.settings(of: name) { try await read(setting, config) }
      }
    }
  }

  /// Reads with the throwing methods: the other methods return `nil` for an invalid value.
  private mutating func read(_ setting: Setting, _ config: ConfigReader) async throws(AuthError) {
    let key = ConfigKey(setting.path)
    let content: ConfigContent?
    do {
      content = try await SettingPlaces.$current.withValue(places) {
        switch setting.kind.type {
        case .bool: try await config.fetchBool(forKey: key, isSecret: setting.isSecret).map(ConfigContent.bool)
        case .int: try await config.fetchInt(forKey: key, isSecret: setting.isSecret).map(ConfigContent.int)
        case .stringArray:
          try await config.fetchStringArray(forKey: key, isSecret: setting.isSecret).map(ConfigContent.stringArray)
        default: try await config.fetchString(forKey: key, isSecret: setting.isSecret).map(ConfigContent.string)
        }
      }
    } catch let error as AuthError {
      throw error
    } catch {
      // The error is from another module: it may contain the value.
      throw setting.refusal(found: nil)
    }
    guard let content else { return }
    guard let value = setting.kind.value(of: content) else { throw setting.refusal(found: content.shown) }
    values[setting.key] = value
  }

  /// Sets the options that consist of one setting each.
  func applyPlain(to options: inout LocalOptions) {
    for setting in Setting.plain { if let value = values[setting.key] { setting.apply?(&options, value) } }
  }

  /// The origin of a setting: `environment, GATEHOUSE_PROVIDER_…` or `FILE, line 3, column 5`. `nil` if the setting is
  /// not set, or its origin is not from this module.
  func place(of key: String) -> String? { places.place(of: key) }

  /// Returns the error for settings that contradict each other, with the first known origin among them.
  func mistake(at keys: [String], _ message: String) -> AuthError {
    let found = keys.compactMap(place).first
    return AuthError(.invalidArgument, "\(found.map { "\($0.printable()): " } ?? "")\(message)")
  }

  /// Returns a setting's value for people to read; `nil` if it is not set.
  func shown(_ setting: Setting) -> String? {
    values[setting.key].map { setting.isSecret ? Secret("").description : $0.shown }
  }
}

// MARK: Values by type

extension SettingValues {
  subscript(key: String) -> SettingValue? { values[key] }

  func text(_ key: String) -> String? { if case .text(let value)? = values[key] { value } else { nil } }
  func secret(_ key: String) -> Secret? { text(key).map(Secret.init) }
  func flag(_ key: String) -> Bool? { if case .flag(let value)? = values[key] { value } else { nil } }
  func number(_ key: String) -> Int? { if case .number(let value)? = values[key] { value } else { nil } }
  func list(_ key: String) -> [String]? { if case .list(let value)? = values[key] { value } else { nil } }
  func duration(_ key: String) -> Duration? {
    if case .duration(let value)? = values[key] { value } else { nil }
  }

  /// Returns the keys below a key that are set.
  func keys(below key: String) -> [String] { values.keys.filter { $0.hasPrefix(key + ".") }.sorted() }

  /// Returns a required text.
  ///
  /// - Parameters:
  ///   - cause: the key of the setting that requires it.
  ///   - reason: the requirement, for the error.
  ///   - standard: the default, if there is one.
  func required(
    _ key: String, by cause: String, _ reason: String, else standard: String? = nil
  ) throws(AuthError) -> String {
    guard let text = text(key) ?? standard else {
      throw mistake(at: [cause], "\(key) is missing: \(reason) needs it")
    }
    return text
  }

  /// Like `required`, for a list, which must not be empty.
  func requiredList(_ key: String, by cause: String, _ reason: String) throws(AuthError) -> [String] {
    guard let list = list(key), !list.isEmpty else {
      throw mistake(at: [key, cause], "\(key) is missing or empty: \(reason) needs it")
    }
    return list
  }

  /// Refuses settings that would have no effect.
  func refuse(_ keys: [String], _ reason: String) throws(AuthError) {
    for key in keys where values[key] != nil { throw mistake(at: [key], "\(key) has no effect: \(reason)") }
  }
}

extension SettingValue {
  /// The value for people to read, as in a file without quotes.
  var shown: String {
    switch self {
    case .flag(let value): "\(value)"
    case .number(let value): "\(value)"
    case .duration(let value): value.map { SettingDuration.text($0.wholeSeconds) } ?? "forever"
    case .text(let value): value
    case .list(let values): values.joined(separator: ", ")
    }
  }
}

extension ConfigContent {
  /// An invalid value, for an error.
  fileprivate var shown: String? {
    switch self {
    case .string(let value): value
    case .int(let value): "\(value)"
    case .stringArray(let values): values.joined(separator: ", ")
    default: nil
    }
  }
}
