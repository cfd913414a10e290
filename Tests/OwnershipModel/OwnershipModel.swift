import GatehouseSchedules

/// A model of who owns what, run against a provider: three persons, each with mailboxes, a phone and users at identity
/// providers, make calls in random order. After each call, everything that had to end is tried.
public enum OwnershipModel {
  /// The maximum number of calls in a sequence.
  static let longest = 40

  /// The worlds: with enumeration protection, and without it.
  static func worlds() async throws -> [World] {
    [try await World(isProtected: true), try await World(isProtected: false)]
  }

  /// Runs sequences until one fails.
  ///
  /// - Parameters:
  ///   - count: the number of sequences.
  ///   - seed: the same seed gives the same sequences.
  ///   - progress: called after each sequence with the number of sequences and calls so far.
  /// - Returns: The shortest sequence found that fails; `nil` if none does.
  public static func explore(
    _ count: Int, seed: UInt64 = 1, progress: (_ sequences: Int, _ calls: Int) -> Void = { _, _ in }
  ) async throws -> OwnershipFailure? {
    let worlds = try await worlds()
    var calls = 0
    for index in 0..<count {
      let picks = picks(of: index, seed: seed)
      let outcome = await run(picks, in: worlds)
      calls += outcome.steps
      progress(index + 1, calls)
      guard outcome.violation != nil else { continue }
      let simplest = await simplified(picks, in: worlds)
      let failure = OwnershipFailure(await run(simplest, in: worlds), simplest, found: index + 1)
      for world in worlds { try await world.close() }
      return failure
    }
    for world in worlds { try await world.close() }
    return nil
  }

  /// Runs the sequence of a failure again.
  ///
  /// - Returns: The failure; `nil` if the sequence does not fail.
  public static func replay(_ sequence: String) async throws -> OwnershipFailure? {
    guard let picks = ScheduleString.decode(sequence) else { throw Violation("this is not a sequence") }
    let worlds = try await worlds()
    let outcome = await run(picks, in: worlds)
    for world in worlds { try await world.close() }
    return outcome.violation == nil ? nil : OwnershipFailure(outcome, picks, found: 1)
  }

  // MARK: One sequence

  struct Outcome {
    var violation: String?
    var trace: [String]
    var steps: Int
  }

  /// The first pick is the world; each step has as many picks as `Picks.count`.
  private static func picks(of index: Int, seed: UInt64) -> [Int] {
    var numbers = SplitMix(SplitMix.mixed(seed ^ SplitMix.mixed(UInt64(index))))
    let steps = numbers.below(longest - 4) + 5
    return [numbers.below(2)]
      + (0..<steps).flatMap { _ in
        [Action.weighted[numbers.below(Action.weighted.count)].rawValue]
          + (1..<Picks.count).map { _ in numbers.below(2) == 0 ? 0 : numbers.below(24) }
      }
  }

  private static func run(_ picks: [Int], in worlds: [World]) async -> Outcome {
    let run = Run(worlds[(picks.first ?? 0) % worlds.count])
    do {
      for start in stride(from: 1, to: picks.count, by: Picks.count) {
        try await run.run(Picks(picks[start..<min(start + Picks.count, picks.count)]))
      }
      return Outcome(violation: nil, trace: run.trace, steps: run.step)
    } catch {
      return Outcome(violation: "\(error)", trace: run.trace, steps: run.step)
    }
  }

  private static func simplified(_ picks: [Int], in worlds: [World]) async -> [Int] {
    var simpler = SimplerPicks(than: picks)
    while let picks = simpler.next() {
      if await run(picks, in: worlds).violation != nil { simpler.settle(on: picks) }
    }
    return simpler.best
  }
}

/// A sequence of calls after which something does not hold.
public struct OwnershipFailure: Sendable, CustomStringConvertible {
  /// The sequence as text, for `OwnershipModel.replay(_:)`.
  public let sequence: String
  /// What does not hold.
  public let violation: String
  /// The calls.
  public let trace: [String]
  /// The number of sequences that were tried.
  public let found: Int

  init(_ outcome: OwnershipModel.Outcome, _ picks: [Int], found: Int) {
    sequence = ScheduleString.encode(picks)
    violation = outcome.violation ?? "it does not fail again"
    trace = outcome.trace
    self.found = found
  }

  /// The calls and what does not hold, for people.
  public var description: String { (trace + [violation, "sequence: \(sequence)"]).joined(separator: "\n") }
}
