import ArgumentParser
import GatehouseBase
import GatehouseSystem
import GatehouseWaits

/// `gate queuecheck -- COMMAND …`
struct QueueCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queuecheck",
    abstract: "Run a program that uses dispatch queues, and find its deadlocks before they happen.",
    discussion: """
      The program runs unmodified, with its own input and output. The report is printed to standard error when the \
      program ends, however it ends, and on SIGQUIT. If threads wait and none makes progress for --stall seconds, the \
      program is reported and stopped. Exit status: the program's own; 3 with a report; 2 if the program cannot be \
      watched.
      """)

  @Option(help: ArgumentHelp("Report a hang after this many seconds without progress.", valueName: "seconds"))
  var stall: Double = 10

  @Option(help: ArgumentHelp("The exit status when there is a report.", valueName: "status"))
  var errorExitcode: Int32 = 3

  @Option(help: ArgumentHelp("Also write the findings to this file, as JSON.", valueName: "file"))
  var json: String?

  @Option(
    help: ArgumentHelp("A list of known findings, each with a reason and an expiry date.", valueName: "file"))
  var suppress: String?

  @Option(help: ArgumentHelp("Write a timeline to this file, for Perfetto or Chrome.", valueName: "file"))
  var trace: String?

  @Flag(help: "Also print waits that are not findings, and what cannot be seen.")
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
    let suppressions = try suppress.map(suppressions) ?? Suppressions()
    // A century is as good as never, and fits in a `Duration`.
    let limit = Duration.seconds(min(stall, 3_155_760_000))
    let check = try QueueCheck(command: command, stall: limit, isTraced: trace != nil)
    // Until the end: what takes long after the program has ended can be interrupted, too.
    let signals = PassedSignals(quit: { check.printState() }, end: {})
    defer { withExtendedLifetime(signals) {} }
    let ending = try await check.run(signals)
    let outcome = check.outcome(suppressing: suppressions)
    outcome.print(isVerbose: verbose)
    if let json { try write(outcome.json, to: json) }
    if let trace { try write(check.timeline, to: trace) }
    let status = outcome.hasFindings ? errorExitcode : ending.status
    if status != 0 { throw ExitCode(status) }
  }

  private func suppressions(in file: String) throws -> Suppressions {
    let bytes = try Input.file(file).bytes(limit: 1 << 20)
    do { return try Suppressions(json: bytes) } catch {
      throw AuthError(.invalidArgument, "the suppression file \(file) cannot be used: \(error.message)")
    }
  }

  private func write(_ json: JSONObject, to path: String) throws(AuthError) {
    try FileOutput.overwrite(path, with: json.serialized())
  }
}
