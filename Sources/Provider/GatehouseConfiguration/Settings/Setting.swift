import GatehouseBase
import GatehouseLocal

/// A setting: its key, its allowed values and its default.
package struct Setting: Sendable {
  /// The parts of the key: `["throttle", "attempts"]`.
  package let path: [String]
  package let kind: SettingKind
  /// Whether the value must never be shown.
  package var isSecret = false
  /// The default, for people to read.
  package let standard: String
  /// Sets the option; `nil` for a part of an option that consists of several settings.
  let apply: (@Sendable (inout LocalOptions, SettingValue) -> Void)?

  package var key: String { path.joined(separator: ".") }

  /// The prefix of the environment variables.
  static let prefix = "GATEHOUSE_PROVIDER_"

  /// The environment variable of this setting.
  package var variable: String {
    Self.prefix + path.map(Self.spelled).joined(separator: "_")
  }

  /// Returns a key's part in swift-configuration's spelling for environment variables.
  static func spelled(_ part: String) -> String {
    var spelled = ""
    var last: Character?
    for letter in part {
      if last?.isLowercase == true, letter.isUppercase { spelled.append("_") }
      spelled += letter.isLetter || letter.isNumber ? letter.uppercased() : "_"
      last = letter
    }
    return spelled
  }

  /// Returns the error for a value that is not allowed.
  ///
  /// - Parameters:
  ///   - name: the setting's name at its origin, preceded by its position.
  ///   - found: the value; shown unless the setting is a secret.
  func refusal(_ name: String? = nil, found: String?) -> AuthError {
    let found = isSecret ? nil : found.map { ", and is \($0.printable())" }
    return AuthError(.invalidArgument, "\(name ?? key) must be \(kind.allowed)\(found ?? "")")
  }
}

extension Setting {
  /// Makes a part of an option that consists of several settings.
  static func part(_ path: [String], _ kind: SettingKind, isSecret: Bool = false, _ standard: String = "none")
    -> Setting
  {
    Setting(path: path, kind: kind, isSecret: isSecret, standard: standard, apply: nil)
  }

  private static func path(_ key: String) -> [String] { key.split(separator: ".").map(String.init) }

  static func part(_ key: String, _ kind: SettingKind, _ standard: String = "none") -> Setting {
    part(path(key), kind, standard)
  }

  static func flag(_ key: String, _ option: any WritableKeyPath<LocalOptions, Bool> & Sendable) -> Setting {
    Setting(path: path(key), kind: .flag, standard: "\(LocalOptions()[keyPath: option])") { options, value in
      if case .flag(let value) = value { options[keyPath: option] = value }
    }
  }

  static func number(
    _ key: String, _ kind: SettingKind, _ option: any WritableKeyPath<LocalOptions, Int> & Sendable
  ) -> Setting {
    let standard = LocalOptions()[keyPath: option]
    return Setting(path: path(key), kind: kind, standard: standard == .max ? "none" : "\(standard)") { options, value in
      if case .number(let value) = value { options[keyPath: option] = value }
    }
  }

  static func text(
    _ key: String, _ range: ClosedRange<Int>, _ option: any WritableKeyPath<LocalOptions, String> & Sendable
  ) -> Setting {
    Setting(path: path(key), kind: .text(range), standard: LocalOptions()[keyPath: option]) { options, value in
      if case .text(let value) = value { options[keyPath: option] = value }
    }
  }

  static func duration(
    _ key: String, _ range: ClosedRange<Int64>, _ option: any WritableKeyPath<LocalOptions, Duration> & Sendable
  ) -> Setting {
    let standard = SettingDuration.text(LocalOptions()[keyPath: option].wholeSeconds)
    return Setting(path: path(key), kind: .duration(range), standard: standard) { options, value in
      if case .duration(let value?) = value { options[keyPath: option] = value }
    }
  }
}
