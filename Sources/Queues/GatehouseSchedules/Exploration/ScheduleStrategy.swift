/// The way in which schedules are chosen.
public enum ScheduleStrategy: Sendable, Hashable {
  /// At each choice, every step is equally likely. Good at bugs that many schedules show.
  case random
  /// Each chain of steps has a priority, and the highest runs. At `changes` random moments the running chain gets the
  /// lowest priority (PCT). Good at bugs that need one long delay at the right moment.
  case priorities(changes: Int)
  /// Both in turn, priorities with one to four changes.
  case mixed

  func chooser(of index: Int, seed: UInt64, length: Int) -> Chooser {
    let seed = SplitMix.mixed(seed ^ SplitMix.mixed(UInt64(index)))
    switch self {
    case .random: return .random(seed: seed)
    case .priorities(let changes): return .priorities(seed: seed, changes: changes, length: length)
    case .mixed:
      guard index.isMultiple(of: 2) else { return .random(seed: seed) }
      return .priorities(seed: seed, changes: index / 2 % 4 + 1, length: length)
    }
  }
}
