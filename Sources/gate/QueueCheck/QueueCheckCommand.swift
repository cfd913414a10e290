import ArgumentParser
import Foundation
import GatehouseBase
import GatehouseQueues

/// `gate queuecheck -- COMMAND …`
struct QueueCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queuecheck",
    abstract: "Run a program that uses dispatch queues, and find its deadlocks before they happen.",
    discussion: """
      The program runs unmodified, with its own input and output. The report goes to standard error when the program ends, \
      however it ends, on SIGQUIT, and when nothing has moved for --stall seconds while somebody waits; then the program is \
      ended. Exit status: the program's own; 3 with a report; 2 for a program that cannot be watched.
      """)

  @Option(help: ArgumentHelp("Report when somebody has waited for so long and nothing moves.", valueName: "seconds"))
  var stall: Double = 10

  @Option(help: ArgumentHelp("The exit status when there is a report.", valueName: "status"))
  var errorExitcode: Int32 = 3

  @Option(help: ArgumentHelp("Write the findings there as JSON as well.", valueName: "file"))
  var json: String?

  @Option(
    help: ArgumentHelp("Findings to leave alone, each with its reason and the day it expires.", valueName: "file"))
  var suppress: String?

  @Option(help: ArgumentHelp("Write a timeline there, for Perfetto or Chrome.", valueName: "file"))
  var trace: String?

  @Flag(help: "Also say what was seen that is no finding, and what cannot be seen.")
  var verbose = false

  @Argument(parsing: .postTerminator, help: "The program and its arguments, after `--`.")
  var command: [String] = []

  func validate() throws {
    if command.isEmpty {
      throw ValidationError("which program? Write it after --, such as: gate queuecheck -- swift test")
    }
    if !(stall > 0) { throw ValidationError("--stall must be more than 0") }
    if !(0...255 ~= errorExitcode) { throw ValidationError("--error-exitcode must be an exit status, 0 to 255") }
  }

  func run() async throws {
    let suppressions =
      try suppress.map { try Suppressions(json: Input.file($0).bytes(limit: 1 << 20)) } ?? Suppressions()
    let check = try QueueCheck(command: command, stall: stall, isTraced: trace != nil)
    defer { check.remove() }
    // Until the end: also what takes long once the program is over can be ended.
    let signals = PassedSignals(quit: { check.printState() }, end: { check.remove() })
    defer { withExtendedLifetime(signals) {} }
    let ending = try await check.run(signals)
    let outcome = check.outcome(suppressing: suppressions)
    outcome.print(isVerbose: verbose)
    if let json { try write(outcome.json, to: json) }
    if let trace { try write(check.timeline, to: trace) }
    let status = outcome.hasFindings ? errorExitcode : ending.status
    if status != 0 { throw ExitCode(status) }
  }

  private func write(_ json: JSONObject, to path: String) throws(AuthError) {
    do { try Data(json.serialized()).write(to: URL(fileURLWithPath: path)) } catch {
      throw AuthError(.storeFailed, "\(path) cannot be written: \(error.localizedDescription)")
    }
  }
}
