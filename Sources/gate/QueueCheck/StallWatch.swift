/// Says when nothing has moved for a while although somebody waits.
struct StallWatch: Sendable {
  private let limit: Double
  private var latest: (progress: UInt64, at: UInt64)?
  private var hasSaid = false

  /// - Parameter limit: in seconds.
  init(limit: Double) { self.limit = limit }

  /// Whether nothing moved since that long; said once for each time that it happens.
  mutating func look(at state: ProgramState) -> Bool {
    let progress = state.progress
    guard let latest, latest.progress == progress, state.isWaiting else {
      latest = (progress, state.now)
      hasSaid = false
      return false
    }
    guard !hasSaid, Double(state.now - latest.at) / 1e9 >= limit else { return false }
    hasSaid = true
    return true
  }
}
