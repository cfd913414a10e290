/// Picks which of several steps runs next.
struct Chooser: Sendable {
  private enum Way: Sendable {
    case random
    /// The priorities of the chains of steps, and the moments at which the running chain gets the lowest one.
    case priorities([UInt64], changes: Set<Int>)
    case given([Int])
  }

  private var way: Way
  private var numbers: SplitMix
  /// The number of choices made so far.
  private var picked = 0
  private var changed: UInt64 = 0

  /// Picks every step with equal probability.
  static func random(seed: UInt64) -> Chooser { Chooser(way: .random, numbers: SplitMix(seed)) }

  /// Runs the chain with the highest priority, which gets the lowest at `changes` random moments of the first
  /// `length` choices (after Burckhardt and others, 2010).
  static func priorities(seed: UInt64, changes: Int, length: Int) -> Chooser {
    var numbers = SplitMix(seed)
    var moments: Set<Int> = []
    for _ in 0..<min(max(changes, 0), max(length, 1)) { moments.insert(numbers.below(max(length, 1))) }
    return Chooser(way: .priorities([], changes: moments), numbers: numbers)
  }

  /// Picks as listed, and after the end of the list the oldest step.
  static func given(_ picks: [Int]) -> Chooser { Chooser(way: .given(picks), numbers: SplitMix(0)) }

  private init(way: Way, numbers: SplitMix) {
    self.way = way
    self.numbers = numbers
  }

  /// Whether given picks are left for which there was no choice.
  var hasLeftOver: Bool {
    guard case .given(let picks) = way else { return false }
    return picks.dropFirst(picked).contains { $0 != 0 }
  }

  /// Returns the index of one of the candidates, of which there are at least two. May be out of range if the picks were
  /// given.
  mutating func pick(_ candidates: [Steps.Candidate]) -> Int {
    defer { picked += 1 }
    switch way {
    case .random: return numbers.below(candidates.count)
    case .given(let picks): return picked < picks.count ? picks[picked] : 0
    case .priorities(var priorities, let changes):
      way = .random  // avoids a copy of the array
      defer { way = .priorities(priorities, changes: changes) }
      // The upper half is for chains whose priority was not lowered.
      for chain in candidates.map(\.chain) {
        while priorities.count <= chain { priorities.append(numbers.next() | 1 << 63) }
      }
      func highest() -> Int {
        candidates.indices.max { priorities[candidates[$0].chain] < priorities[candidates[$1].chain] } ?? 0
      }
      if changes.contains(picked) {
        changed += 1
        priorities[candidates[highest()].chain] = 1 << 62 - changed
      }
      return highest()
    }
  }
}
