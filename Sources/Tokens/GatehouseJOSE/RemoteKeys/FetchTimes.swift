import GatehouseBase

/// The durations of `RemoteKeyOptions` in seconds, for comparisons on the hot path.
struct FetchTimes: Sendable {
  let timeout, cooldown, staleIfError: Double
  private let minimumAge, maximumAge, defaultAge: Double

  init(_ options: RemoteKeyOptions) {
    timeout = options.timeout.inSeconds
    cooldown = options.cooldown.inSeconds
    staleIfError = options.staleIfError.inSeconds
    minimumAge = options.minimumAge.inSeconds
    maximumAge = options.maximumAge.inSeconds
    defaultAge = options.defaultAge.inSeconds
  }

  /// The time before their expiry at which keys are fetched again, while the old ones are still used.
  static func margin(of lifetime: Double) -> Double { min(300, lifetime / 5) }

  /// The time for which keys are fresh, given the server's statement.
  func lifetime(_ said: Double?) -> Double { max(minimumAge, min(said ?? defaultAge, maximumAge)) }
}
