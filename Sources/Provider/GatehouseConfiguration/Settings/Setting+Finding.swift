extension Setting {
  private static let byKey = Dictionary(uniqueKeysWithValues: plain.map { ($0.path, $0) })

  /// All settings, as documents list them. Settings that are the same for every name of a family are listed once.
  package static var documented: [Setting] {
    plain
      + SettingFamily.allCases.flatMap { family in
        let others = family.documented.last.map(family.settings) ?? []
        return family.documented.dropLast().flatMap(family.settings).filter { setting in
          !others.contains { $0.path.dropFirst(2) == setting.path.dropFirst(2) && $0.standard == setting.standard }
        } + others
      }
  }

  /// The settings that a key could name, or whose keys begin with it.
  private static func candidates(_ path: [String]) -> [Setting] {
    guard path.count > 1, let family = SettingFamily(rawValue: path[0]), family.allows(path[1]),
      byKey[Array(path.prefix(2))] == nil
    else { return plain }
    return family.settings(of: path[1])
  }

  /// The setting with a key; `nil` if there is none.
  static func at(_ path: [String]) -> Setting? { byKey[path] ?? candidates(path).first { $0.path == path } }

  /// The next parts of the keys that begin with these parts; empty if there are none.
  static func names(below path: [String]) -> [String] {
    var names: [String] = []
    for setting in candidates(path) where setting.path.count > path.count && setting.path.starts(with: path) {
      let name = setting.path[path.count]
      if !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// The setting of a variable of the environment; `nil` if there is none.
  ///
  /// A variable does not determine the name of an identity provider or a language, so any name is used.
  static func named(by variable: String) -> Setting? {
    if let setting = plain.first(where: { $0.variable == variable }) { return setting }
    var found: (setting: Setting, length: Int)?
    for family in SettingFamily.allCases {
      let start = prefix + spelled(family.rawValue) + "_"
      guard variable.hasPrefix(start) else { continue }
      for setting in family.documented.flatMap(family.settings) {
        let end = "_" + setting.path.dropFirst(2).map(spelled).joined(separator: "_")
        guard variable.hasSuffix(end), variable.count > start.count + end.count, end.count > found?.length ?? 0
        else { continue }
        found = (setting, end.count)
      }
    }
    return found?.setting
  }
}
