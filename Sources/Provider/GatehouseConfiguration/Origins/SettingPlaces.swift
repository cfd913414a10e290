import GatehouseQueues

/// Records the origin of each value while a reader reads the settings: the reader itself only returns the values.
final class SettingPlaces: Sendable {
  /// Bound by `SettingValues` while it reads.
  @TaskLocal static var current: SettingPlaces?

  private let places = Lock<[String: String]>([:])
  private let unlisted = Lock<[SettingFamily: String]>([:])

  /// The origin of a value: `environment, GATEHOUSE_PROVIDER_…` or `FILE, line 3, column 5`; `nil` for an origin of
  /// another kind.
  func place(of key: String) -> String? { places.withLock { $0[key] } }

  /// The first setting of a family whose names are not listed, with its origin.
  func unlisted(_ family: SettingFamily) -> String? { unlisted.withLock { $0[family] } }

  func note(_ key: String, at place: String) { places.withLock { $0[key] = $0[key] ?? place } }
  func noteUnlisted(_ family: SettingFamily, _ setting: String) {
    unlisted.withLock { $0[family] = $0[family] ?? setting }
  }
}
