import GatehouseBase

/// The durations of `RemoteKeyOptions` in seconds, as the hot path compares them.
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

  /// How long before they expire keys are fetched again, while the old ones still serve.
  static func margin(of lifetime: Double) -> Double { min(300, lifetime / 5) }

  /// How long keys are fresh, given what the server said.
  func lifetime(_ said: Double?) -> Double { max(minimumAge, min(said ?? defaultAge, maximumAge)) }
}
