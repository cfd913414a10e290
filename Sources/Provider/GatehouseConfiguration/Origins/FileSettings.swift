import Configuration
import GatehouseBase

/// The settings of a JSON file. Each is checked when the file is read, because its position is only known then.
struct FileSettings: Sendable {
  private struct Entry: Sendable {
    let value: ConfigValue
    let place: TextPlace
  }

  /// The file's name.
  let providerName: String
  private var entries: [[String]: Entry] = [:]

  /// - Parameter name: the file's name, for errors.
  init(parsing bytes: [UInt8], name: String) throws(AuthError) {
    providerName = name
    let object: PlacedObject
    do throws(AuthError) { object = try PlacedObject(parsing: bytes) } catch {
      throw AuthError(error.code, "\(name.printable()): \(error.message)")
    }
    try take(object, below: [])
  }

  /// Whether the file contains a secret.
  var hasSecrets: Bool { entries.values.contains { $0.value.isSecret } }

  private mutating func take(_ object: PlacedObject, below parent: [String]) throws(AuthError) {
    for member in object.members {
      let path = parent + [member.name]
      let name = "\(providerName.printable()), \(member.place): \(path.joined(separator: ".").printable())"
      let setting = Setting.at(path)
      switch (setting, member.value) {
      case (let setting?, .plain(let json)):
        guard let content = setting.kind.content(of: json), setting.kind.value(of: content) != nil else {
          throw setting.refusal(name, found: json.found(for: setting.kind))
        }
        entries[path] = Entry(value: ConfigValue(content, isSecret: setting.isSecret), place: member.place)
      case (let setting?, .object): throw setting.refusal(name, found: "an object")
      case (nil, .object(let inner)) where !Setting.names(below: path).isEmpty: try take(inner, below: path)
      case (nil, _): throw Self.unknown(name, path)
      }
    }
  }

  /// Returns the error for a key that is not a setting.
  private static func unknown(_ name: String, _ path: [String]) -> AuthError {
    let below = Setting.names(below: path)
    guard below.isEmpty else {
      return AuthError(.invalidArgument, "\(name) must be an object, with \(below.joined(separator: ", "))")
    }
    let parent = Array(path.dropLast())
    let nearest = path.last?.nearest(of: Setting.names(below: parent))
    let advice = nearest.map { "did you mean \((parent + [$0]).joined(separator: "."))?" }
    return AuthError(.invalidArgument, "\(name) is no setting; \(advice ?? "Docs/configuration.md lists them")")
  }
}

extension FileSettings: FixedSettings {
  func first(of family: SettingFamily) -> String? {
    let first = entries.filter { $0.key.first == family.rawValue }
      .min { ($0.value.place.line, $0.value.place.column) < ($1.value.place.line, $1.value.place.column) }
    return first.map { "\(providerName.printable()), \($0.value.place): \($0.key.joined(separator: ".").printable())" }
  }

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    guard let entry = entries[key.components] else { return LookupResult(encodedKey: key.description, value: nil) }
    guard Setting.at(key.components)?.kind.type == type else {
      throw AuthError(.invalidArgument, "\(providerName.printable()), \(entry.place): \(key) is no \(type)")
    }
    return LookupResult(encodedKey: entry.place.description, value: entry.value)
  }
}

extension JSONValue {
  /// Describes the value, for an error about a setting that cannot have it.
  fileprivate func found(for kind: SettingKind) -> String {
    switch self {
    case .string(let text): kind.type == .string ? (text.isEmpty ? "empty" : text) : "a text"
    case .array: "a list"
    default: description
    }
  }
}

extension SettingKind {
  /// Returns swift-configuration's content for a JSON value; `nil` if no setting can have such a value.
  fileprivate func content(of json: JSONValue) -> ConfigContent? {
    switch json {
    case .bool(let value): .bool(value)
    case .number: json.integer.flatMap { Int(exactly: $0) }.map(ConfigContent.int)
    case .string(let text): .string(text)
    case .array(let elements):
      elements.allSatisfy { $0.string != nil } ? .stringArray(elements.compactMap(\.string)) : nil
    case .null, .object: nil
    }
  }
}
