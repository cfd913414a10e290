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
      The program runs unmodified, with its own input and output, and gets the signals that this one gets. The report \
      is printed to standard error when the program ends, however it ends. On SIGQUIT the state is printed, and then \
      the program gets the signal. If threads wait and none makes progress for --stall seconds, the program is \
      reported and stopped.

      Exit status, the first that fits:
        3  a report was made (--error-exitcode chooses another one)
        2  nothing could be watched; the program still ran to its end
        4  with --complete: a part of the record was lost
        otherwise the program's own
      Wrong usage, and a file that cannot be written, end with 2 before the program starts.
      """)

  /// The form in which findings are shown to a service that runs tests.
  enum Annotations: String, ExpressibleByArgument, CaseIterable {
    /// Workflow commands of GitHub, on standard error.
    case github
  }

  @Option(help: ArgumentHelp("Report a hang after this many seconds without progress.", valueName: "seconds"))
  var stall: Double = 10

  @Option(help: ArgumentHelp("The exit status when there is a report.", valueName: "status"))
  var errorExitcode: Int32 = 3

  @Option(help: ArgumentHelp("Also write the findings to this file, as JSON.", valueName: "file"), transform: fileName)
  var json: String?

  @Option(
    help: ArgumentHelp("Also write the findings to this file, as SARIF 2.1.0.", valueName: "file"), transform: fileName)
  var sarif: String?

  @Option(help: "Also print the findings to standard error as annotations of the files: github.")
  var annotations: Annotations?

  @Option(
    help: ArgumentHelp("A list of known findings, each with a reason and an expiry date.", valueName: "file"),
    transform: fileName)
  var suppress: String?

  @Option(
    help: ArgumentHelp("Write a timeline to this file, for Perfetto or Chrome.", valueName: "file"), transform: fileName
  )
  var trace: String?

  @Flag(help: "End with status 4 when a part of the record was lost.")
  var complete = false

  @Flag(help: "Report cycles that only blocks of the main queue keep apart; otherwise they are notes.")
  var mainIsNoGuard = false

  @Flag(help: "Also print waits for signals whose giver is unknown, and what cannot be seen.")
  var verbose = false

  @Option(help: ArgumentHelp("Explain a kind of report, such as \"potential deadlock\".", valueName: "kind"))
  var explain: String?

  @Argument(parsing: .postTerminator, help: "The program and its arguments, after `--`.")
  var command: [String] = []

  func validate() throws {
    if let explain {
      guard WaitReport.Kind(named: explain) != nil else {
        let kinds = WaitReport.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("there is no report \"\(explain.shown)\"; the kinds are: \(kinds)")
      }
      return
    }
    if command.isEmpty {
      throw ValidationError("which program? Write it after --, such as: gate queuecheck -- swift test")
    }
    if !(stall > 0 && stall.isFinite) { throw ValidationError("--stall must be a number of seconds, more than 0") }
    if !(0...255 ~= errorExitcode) { throw ValidationError("--error-exitcode must be an exit status, 0 to 255") }
    let plain = [suppress, json, sarif, trace].compactMap(\.self).filter { !$0.hasPrefix("/dev/") }
    let files = plain.map { (try? CurrentProcess.absolute($0)) ?? $0 }
    if Set(files).count != files.count {
      throw ValidationError("--suppress, --json, --sarif and --trace need a file each")
    }
  }

  func run() async throws {
    if let kind = explain.flatMap(WaitReport.Kind.init(named:)) {
      return try StandardOutput.write(line: kind.explanation.text(for: kind))
    }
    // Every mistake is reported before the program starts.
    let suppressions = try Self.before { () throws(AuthError) in try suppress.map(known) ?? Suppressions() }
    let json = try Self.before { () throws(AuthError) in try self.json.map(FileOutput.open) }
    let sarif = try Self.before { () throws(AuthError) in try self.sarif.map(FileOutput.open) }
    let trace = try Self.before { () throws(AuthError) in try self.trace.map(FileOutput.open) }
    // A century is practically the same as never, and fits into a `Duration`.
    let limit = Duration.seconds(min(stall, 3_155_760_000))
    let check = try Self.before { () throws(AuthError) in
      try QueueCheck(command: command, stall: limit, isTraced: trace != nil, mainIsNoGuard: mainIsNoGuard)
    }
    // The signals are handled until the end, so that a long search after the program has ended can be ended too.
    let signals = PassedSignals(quit: { check.printState() }, end: {})
    defer { withExtendedLifetime(signals) {} }
    let ending: RunningProgram.Ending
    do { ending = try await check.run(signals) } catch let error as AuthError { throw Self.refusal(error) }
    let outcome = check.outcome(suppressing: suppressions) { signals.areEnough }
    outcome.print(isVerbose: verbose)
    let folder = (try? CurrentProcess.absolute("")) ?? "/"
    if annotations != nil { outcome.printAnnotations(root: folder) }
    var failure: AuthError?
    do throws(AuthError) {
      try json?.write(outcome.json.serialized())
      try sarif?.write(outcome.sarif(root: folder).serialized())
      try trace?.write(check.timeline.serialized())
    } catch { failure = error }
    let status = outcome.status(of: ending, report: errorExitcode, mustBeComplete: complete)
    if let failure {
      guard outcome.hasFindings else { throw failure }
      StandardError.say("\(failure)")
    }
    if status != 0 { throw ExitCode(status) }
  }

  /// Runs work before the program starts. Any error in it counts as wrong usage.
  private static func before<Value>(_ body: () throws(AuthError) -> Value) throws -> Value {
    do throws(AuthError) { return try body() } catch { throw refusal(error) }
  }

  private static func refusal(_ error: AuthError) -> ExitCode {
    StandardError.say("\(error)")
    return ExitCode(ExitStatus.usage)
  }

  private func known(in file: String) throws(AuthError) -> Suppressions {
    let bytes = try Input.file(file).bytes(limit: 1 << 20)
    do { return try Suppressions(json: bytes) } catch {
      throw AuthError(.invalidArgument, "the suppression file \(file) cannot be used: \(error)")
    }
  }
}
