import Configuration

/// Settings that were read once, and do not change.
protocol FixedSettings: ConfigSnapshot, ConfigProvider {}

extension FixedSettings {
  func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
    try value(forKey: key, type: type)
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
