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
  ///   - progress: called after each sequence.
  public static func explore(
    _ count: Int, seed: UInt64 = 1, progress: (OwnershipReport) -> Void = { _ in }
  ) async throws -> OwnershipReport {
    let worlds = try await worlds()
    var report = OwnershipReport()
    for index in 0..<count {
      let picks = picks(of: index, seed: seed)
      let outcome = await run(picks, in: worlds)
      report.add(outcome)
      progress(report)
      guard outcome.violation != nil else { continue }
      report.failure = await settled(on: outcome, picks, in: worlds)
      break
    }
    for world in worlds { try await world.close() }
    return report
  }

  /// Runs the sequence of a failure again.
  ///
  /// - Returns: The failure; `nil` if the sequence does not fail.
  public static func replay(_ sequence: String) async throws -> OwnershipFailure? {
    guard let picks = ScheduleString.decode(sequence) else { throw Violation("this is not a sequence") }
    let worlds = try await worlds()
    let outcome = await run(picks, in: worlds)
    for world in worlds { try await world.close() }
    return outcome.violation == nil ? nil : OwnershipFailure(outcome, picks)
  }

  // MARK: One sequence

  struct Outcome {
    var violation: String?
    let trace: [String]
    /// The actions of the steps, and whether they were not refused.
    let actions: [(action: Action, isDone: Bool)]
  }

  /// The first pick is the world; each step has as many picks as `Picks.count`. Each eighth sequence begins with a
  /// story.
  private static func picks(of index: Int, seed: UInt64) -> [Int] {
    var numbers = SplitMix(SplitMix.mixed(seed ^ SplitMix.mixed(UInt64(index))))
    let steps = numbers.below(longest - 4) + 5
    let world = [numbers.below(2)]
    let picks = (0..<steps).flatMap { _ in
      [Action.weighted[numbers.below(Action.weighted.count)].rawValue]
        + (1..<Picks.count).map { _ in numbers.below(2) == 0 ? 0 : numbers.below(24) }
    }
    let story = index % 8 == 7 ? Story.told(by: &numbers) : []
    return world + (story + picks).prefix(longest * Picks.count)
  }

  private static func run(_ picks: [Int], in worlds: [World]) async -> Outcome {
    let run = Run(worlds[(picks.first ?? 0) % worlds.count])
    var violation: String?
    do {
      for start in stride(from: 1, to: picks.count, by: Picks.count) {
        try await run.run(Picks(picks[start..<min(start + Picks.count, picks.count)]))
      }
    } catch { violation = "\(error)" }
    return Outcome(violation: violation, trace: run.trace, actions: run.actions)
  }

  /// Simplifies a sequence while it still fails.
  private static func settled(on failed: Outcome, _ picks: [Int], in worlds: [World]) async -> OwnershipFailure {
    var best = failed
    var simpler = SimplerPicks(than: picks)
    while let picks = simpler.next() {
      let outcome = await run(picks, in: worlds)
      guard outcome.violation != nil else { continue }
      best = outcome
      simpler.settle(on: picks)
    }
    let isSteady = await run(simpler.best, in: worlds).violation != nil
    return OwnershipFailure(best, simpler.best, isSteady: isSteady)
  }
}

/// What sequences have shown.
public struct OwnershipReport: Sendable {
  /// The number of sequences.
  public private(set) var sequences = 0
  /// The number of steps that were not refused.
  public private(set) var done = 0
  /// The sequence that failed.
  public internal(set) var failure: OwnershipFailure?
  private var counts: [Action: Int] = [:]

  /// The actions that were refused in each sequence: what the model says about them is not tried.
  public var untried: [String] { Action.allCases.filter { counts[$0] == nil && $0 != .rest }.map { "\($0)" } }

  mutating func add(_ outcome: OwnershipModel.Outcome) {
    sequences += 1
    for (action, isDone) in outcome.actions where isDone {
      done += 1
      counts[action, default: 0] += 1
    }
  }

  /// How often each action was not refused.
  public var description: String { Action.allCases.map { "\($0) \(counts[$0] ?? 0)" }.joined(separator: ", ") }
}

/// A sequence of calls after which something does not hold.
public struct OwnershipFailure: Sendable, CustomStringConvertible {
  /// The sequence as text, for `OwnershipModel.replay(_:)`.
  public let sequence: String
  /// What does not hold.
  public let violation: String
  /// The calls.
  public let trace: [String]

  init(_ outcome: OwnershipModel.Outcome, _ picks: [Int], isSteady: Bool = true) {
    sequence = ScheduleString.encode(picks)
    violation = (outcome.violation ?? "nothing") + (isSteady ? "" : "; run again, the sequence did not fail")
    trace = outcome.trace
  }

  /// What does not hold, and the calls, for people.
  public var description: String { ([violation] + trace + ["sequence: \(sequence)"]).joined(separator: "\n") }
}
