import ArgumentParser
import Foundation
import OwnershipModel

/// Runs the model of who owns what, for longer than a test can.
@main
struct OwnershipSequences: AsyncParsableCommand {
  @Option(help: "How many sequences of up to 40 calls.") var sequences = 20_000
  @Option(help: "The same seed gives the same sequences.") var seed: UInt64 = 1
  @Option(help: "SEQUENCE, as a failure tells it: runs it again, and prints its calls.") var replay: String?

  func run() async throws {
    if let replay {
      guard let failure = try await OwnershipModel.replay(replay) else { return print("It holds.") }
      print(failure)
      throw ExitCode(1)
    }
    let begin = ContinuousClock.now
    let report = try await OwnershipModel.explore(sequences, seed: seed) { report in
      if report.sequences.isMultiple(of: 1000) { print("\(report.sequences) sequences, \(report.done) calls") }
    }
    let seconds = Int((ContinuousClock.now - begin) / .seconds(1))
    print(report.description)
    let line = "ownership: \(report.sequences) sequences of seed \(seed), \(report.done) calls, \(seconds) s"
    guard let failure = report.failure else { return print("\(line): held") }
    print("\(line): FAILED")
    for line in failure.description.split(separator: "\n") { print("  \(line)") }
    print("  scripts/ownership --replay \(failure.sequence)")
    throw ExitCode(1)
  }
}
