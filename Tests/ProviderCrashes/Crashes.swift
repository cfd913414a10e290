import ArgumentParser
import Foundation
import GatehouseBase
import GatehouseLocal
import IdentityToolkit

/// Kills a provider at seeded points, again and again in one folder, and examines what it leaves.
@main
struct Crashes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "ProviderCrashes")

  @Option(help: "How often.") var kills = 500
  @Option(help: "Where the random numbers begin.") var seed: UInt64 = 1
  @Option(help: "Instead of killing: refresh so often with rotation, and tell how large the tables are.") var soak: Int?
  @Option(help: "Instead: kill two programs that refresh one session with rotation, so often.") var rotations: Int?
  @Option(help: "Instead: kill the token daemon, whose sessions are refreshed with rotation, so often.") var agent: Int?
  @Option(help: .hidden) var home: String?
  @Option(help: .hidden) var refreshes: String?
  @Option(help: .hidden) var round = 0

  func run() async throws {
    if let home { return await Worker(home: home, round: round, seed: seed).run() }
    if let refreshes { return await RefreshingProgram.run(refreshes) }
    let memory = "/dev/shm"
    let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    let folder = "\(parent)/gatehouse-crashes-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    if let soak { return try await Soak(home: folder + "/home", refreshes: soak).run() }
    var numbers = SeededNumbers(seed)
    if let rotations {
      let told = try await Rotations(folder: folder).run(kills: rotations, &numbers, seed: seed)
      return print("\(rotations) kills from seed \(seed): \(told) refreshes; no session was lost.")
    }
    if let agent {
      let told = try await AgentRotations(folder: folder).run(kills: agent, &numbers, seed: seed)
      return print(
        "\(agent) kills of the daemon from seed \(seed): \(told) rotations; no session was lost, no token was reused.")
    }
    var ledger = Ledger()
    for round in 1...kills {
      // Half of the kills come early, while the folder is made or opened.
      let lines = Int.random(in: 0...(Bool.random(using: &numbers) ? 200 : 12), using: &numbers)
      let pause = Double.random(in: 0...0.003, using: &numbers)
      let told = try kill(folder + "/home", round, numbers.next(), after: lines, pause)
      ledger.add(Journal.entries(told))
      let backend = LocalBackend.crashing(folder + "/home")
      let faults: [String]
      do {
        try await backend.open()
        faults = await ledger.faults(of: backend, &numbers)
        try await backend.close()
      } catch { throw Fault(round: round, seed: seed, text: "the provider does not open or close: \(error)") }
      guard faults.isEmpty else { throw Fault(round: round, seed: seed, text: faults.joined(separator: "\n")) }
      if round.isMultiple(of: 50) { print("\(round) kills, \(ledger.operations) acknowledged operations") }
    }
    print(
      "\(kills) kills from seed \(seed): \(ledger.operations) acknowledged operations, \(ledger.pendings) under way; "
        + "every opening succeeded, nothing was lost, half made or used twice.")
  }

  /// Runs a worker, kills it once it has told so many lines and a pause has passed, and returns what it told.
  private func kill(_ home: String, _ round: Int, _ seed: UInt64, after lines: Int, _ pause: Double) throws -> Data {
    let worker = Process()
    worker.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    worker.arguments = ["--home", home, "--round", "\(round)", "--seed", "\(seed)"]
    let pipe = Pipe()
    worker.standardOutput = pipe
    try worker.run()
    var told = Data()
    while told.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
      let some = pipe.fileHandleForReading.availableData
      if some.isEmpty { break }
      told += some
    }
    usleep(UInt32(pause * 1e6))
    Foundation.kill(worker.processIdentifier, SIGKILL)
    told += pipe.fileHandleForReading.readDataToEndOfFile()
    worker.waitUntilExit()
    return told
  }
}

/// What does not hold, and how to see it again.
struct Fault: Error, CustomStringConvertible {
  let round: Int
  let seed: UInt64
  let text: String

  var description: String { "after kill \(round) of seed \(seed):\n\(text)" }
}
