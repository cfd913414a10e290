/// Simpler picks to try in place of picks that fail, one after another: with more zeros, in the later part first,
/// because what comes after the fault is not needed.
///
///     var simpler = SimplerPicks(than: failing)
///     while let picks = simpler.next() {
///       if fails(picks) { simpler.settle(on: picks) }
///     }
///     simpler.best
package struct SimplerPicks: Sendable {
  /// The simplest picks so far that fail.
  package private(set) var best: [Int]
  private var size: Int
  private var end: Int
  private var attempts = 0
  /// The maximum number of picks that are tried.
  private static let mostAttempts = 2_000

  /// - Parameter failing: picks that fail.
  package init(than failing: [Int]) {
    best = failing
    size = failing.count
    end = failing.count
  }

  /// Returns the next picks to try; `nil` when nothing simpler is left to try.
  package mutating func next() -> [Int]? {
    while size > 0 {
      guard end > 0 else {
        size /= 2
        end = best.count
        continue
      }
      let range = max(end - size, 0)..<end
      end = range.lowerBound
      guard best[range].contains(where: { $0 != 0 }) else { continue }
      attempts += 1
      guard attempts < Self.mostAttempts else { return nil }
      var picks = best
      picks.replaceSubrange(range, with: repeatElement(0, count: range.count))
      return picks
    }
    return nil
  }

  /// Goes on from picks that fail as well: the last ones that were returned, or those that were made of them.
  package mutating func settle(on picks: [Int]) {
    best = picks
    end = min(end, picks.count)
  }
}
