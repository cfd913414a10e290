import Configuration

/// Settings that were read once, and do not change.
protocol FixedSettings: ConfigSnapshot, ConfigProvider {
  /// Returns the first setting of a family, with its origin.
  func first(of family: SettingFamily) -> String?
}

extension FixedSettings {
  func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
    let found = try value(forKey: key, type: type)
    guard let places = SettingPlaces.current else { return found }
    let name = key.components.joined(separator: ".")
    if found.value != nil {
      places.note(name, at: "\(providerName), \(found.encodedKey)")
    } else if let family = SettingFamily.allCases.first(where: { $0.listKey == name }), let first = first(of: family) {
      places.noteUnlisted(family, first)
    }
    return found
  }

  func watchValue<Return: ~Copyable>(
    forKey key: AbsoluteConfigKey, type: ConfigType,
    updatesHandler: (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
  ) async throws -> Return {
    try await watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
  }

  func snapshot() -> any ConfigSnapshot { self }

  func watchSnapshot<Return: ~Copyable>(
    updatesHandler: (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
  ) async throws -> Return {
    try await watchSnapshotFromSnapshot(updatesHandler: updatesHandler)
  }
}
