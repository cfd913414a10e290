import Foundation
import GatehouseBase

/// The command `gate`, which must be built beside this program, in a process of its own.
struct GateProgram {
  private let process = Process()
  private let output = Pipe()

  /// Prepares it.
  ///
  /// - Parameters:
  ///   - environment: set besides this program's.
  ///   - isQuiet: whether its errors go nowhere.
  private init(arguments: [String], environment: [String: String], isQuiet: Bool) {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("gate")
    process.arguments = arguments
    // The only users are those of this program, so their passwords may be cheap to hash.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["GATEHOUSE_PROVIDER_PASSWORD_COST_N": "8192", "GATEHOUSE_PROVIDER_PASSWORD_COST_P": "1"]) { $1 }
      .merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    if isQuiet { process.standardError = FileHandle.nullDevice }
  }

  /// Starts it.
  init(_ arguments: [String], environment: [String: String] = [:], isQuiet: Bool = false) throws {
    self.init(arguments: arguments, environment: environment, isQuiet: isQuiet)
    try process.run()
  }

  /// Runs it to its end, with a text as its input.
  static func run(_ arguments: [String], input: String) throws {
    let file = NSTemporaryDirectory() + "/gatehouse-input-\(UUID().uuidString)"
    try Data(input.utf8).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let program = GateProgram(arguments: arguments, environment: [:], isQuiet: false)
    let process = program.process
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(arguments: arguments, status: process.terminationStatus) }
  }

  /// Waits for the line that a server prints when clients may come, and returns the address in it.
  func address() throws -> String {
    let line = output.fileHandleForReading.availableData
    guard let address = (try? JSONObject(parsing: Array(line)))?["address"]?.string else {
      throw Failure(arguments: process.arguments ?? [], status: process.isRunning ? 0 : process.terminationStatus)
    }
    return address
  }

  /// Kills it, if it runs.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  struct Failure: Error, CustomStringConvertible {
    let arguments: [String]
    let status: Int32

    var description: String { "gate \(arguments.joined(separator: " ")) failed with status \(status)" }
  }
}
