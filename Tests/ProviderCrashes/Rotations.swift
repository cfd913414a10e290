import Foundation
import Gatehouse
import GatehouseLocal
import Logging

/// Two programs share one session in a file, and refresh it again and again with rotation. One of them is killed, again
/// and again, and started again at once.
struct Rotations: Sendable {
  let folder: String

  /// Kills the programs, and checks that the provider still honors what is stored.
  ///
  /// - Returns: the number of refreshes that the programs told.
  func run(kills: Int, _ numbers: inout SeededNumbers, seed: UInt64) async throws -> Int {
    let first = RefreshingProgram.auth(folder)
    _ = try await first.createUser(withEmail: "ada@example.com", password: "correct horse")
    try await first.close()
    var programs = [try KilledProgram(folder), try KilledProgram(folder)]
    var refreshes = 0
    for round in 1...kills {
      let victim = Int.random(in: 0...1, using: &numbers)
      // Half of the kills come early, while the program starts.
      let lines = Bool.random(using: &numbers) ? 0 : Int.random(in: 1...4, using: &numbers)
      let told = programs[victim].kill(after: lines, Double.random(in: 0...(lines == 0 ? 0.15 : 0.02), using: &numbers))
      if let loss = told.first(where: { $0.hasPrefix("lost") }) {
        throw Fault(round: round, seed: seed, text: String(loss))
      }
      refreshes += told.count { $0 == "refreshed" }
      programs[victim] = try KilledProgram(folder)
      if round.isMultiple(of: 50) { print("\(round) kills, \(refreshes) refreshes") }
    }
    for program in programs { _ = program.kill(after: 0, 0) }
    let last = RefreshingProgram.auth(folder)
    try await last.ready()
    guard let user = last.currentUser else { throw Fault(round: kills, seed: seed, text: "lost: \(last.state)") }
    _ = try await user.getIDToken(forcingRefresh: true)
    try await last.close()
    let audit = folder + "/home/audit"
    guard FileManager.default.fileExists(atPath: audit + "/audit.jsonl") else {
      throw Fault(round: kills, seed: seed, text: "the provider keeps no log in \(audit)")
    }
    // There is no such file before the first event.
    let log = (try? String(contentsOfFile: audit + "/security.jsonl", encoding: .utf8)) ?? ""
    guard !log.contains("refreshTokenReused") else {
      throw Fault(round: kills, seed: seed, text: "a refresh token was used twice outside its grace")
    }
    return refreshes
  }
}

/// Refreshes until it is killed, and tells each refresh by a line.
enum RefreshingProgram {
  static func auth(_ folder: String) -> Auth {
    Auth(
      Auth.Configuration(
        backend: LocalBackend.crashing(folder + "/home"), store: .file(folder + "/session"),
        logger: Logger(label: "crashes") { _ in SwiftLogNoOpLogHandler() }))
  }

  static func run(_ folder: String) async {
    let auth = auth(folder)
    while true {
      do {
        try await auth.ready()
        guard let user = auth.currentUser else { return tell("lost: \(auth.state)") }
        _ = try await user.getIDToken(forcingRefresh: true)
        tell("refreshed")
      } catch { tell(auth.currentUser == nil ? "lost: \(error)" : "refused: \(error)") }
      // So that the other program has the store's lock in between.
      try? await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
    }
  }

  private static func tell(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
  }
}

/// A refreshing program in a process of its own.
private struct KilledProgram {
  private let process = Process()
  private let pipe = Pipe()

  init(_ folder: String) throws {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["--refreshes", folder]
    process.standardOutput = pipe
    try process.run()
  }

  /// Waits until the program has told so many lines, and for a pause; kills it, and returns its lines.
  func kill(after lines: Int, _ pause: Double) -> [Substring] {
    var told = Data()
    while told.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
      let some = pipe.fileHandleForReading.availableData
      if some.isEmpty { break }
      told += some
    }
    usleep(UInt32(pause * 1e6))
    Foundation.kill(process.processIdentifier, SIGKILL)
    told += pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: told, as: UTF8.self).split(separator: "\n")
  }
}
