import GatehouseBase
import GatehouseLocal

/// One setting: its key, what it may be, and what it is unless it is set.
package struct Setting: Sendable {
  /// The key's parts: `["throttle", "attempts"]`.
  package let path: [String]
  package let kind: SettingKind
  /// Whether it is never shown.
  package var isSecret = false
  /// What it is unless it is set, for people.
  package let standard: String
  /// Sets the option; `nil` for a part of something that is made of several settings.
  let apply: (@Sendable (inout LocalOptions, SettingValue) -> Void)?

  package var key: String { path.joined(separator: ".") }

  /// What the variables of the environment begin with.
  static let prefix = "GATEHOUSE_PROVIDER_"

  /// The variable of the environment that sets it.
  package var variable: String {
    Self.prefix + path.map(Self.spelled).joined(separator: "_")
  }

  /// A key's part as swift-configuration spells it in the environment.
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

  /// The error for a value that is not allowed.
  ///
  /// - Parameters:
  ///   - name: what the setting is called there, with the place before it.
  ///   - found: the value; shown unless the setting is a secret.
  func refusal(_ name: String? = nil, found: String?) -> AuthError {
    let found = isSecret ? nil : found.map { ", and is \($0.printable())" }
    return AuthError(.invalidArgument, "\(name ?? key) must be \(kind.allowed)\(found ?? "")")
  }
}

extension Setting {
  /// A part of something that is made of several settings.
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
    Setting(path: path(key), kind: kind, standard: "\(LocalOptions()[keyPath: option])") { options, value in
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
