import GatehouseQueues

/// Hears from the settings' own origins, while a reader asks them, where each value is: a reader tells the value alone.
final class SettingPlaces: Sendable {
  /// Bound by `SettingValues` while it asks.
  @TaskLocal static var current: SettingPlaces?

  private let places = Lock<[String: String]>([:])
  private let unlisted = Lock<[SettingFamily: String]>([:])

  /// `environment, GATEHOUSE_PROVIDER_…` or `FILE, line 3, column 5`; `nil` for what an origin of another kind has.
  func place(of key: String) -> String? { places.withLock { $0[key] } }

  /// The first setting of a family that an origin without a list of its names has, with its place.
  func unlisted(_ family: SettingFamily) -> String? { unlisted.withLock { $0[family] } }

  func note(_ key: String, at place: String) { places.withLock { $0[key] = $0[key] ?? place } }
  func noteUnlisted(_ family: SettingFamily, _ setting: String) {
    unlisted.withLock { $0[family] = $0[family] ?? setting }
  }
}
