import Foundation
import GatehouseJOSE

/// `gate queuecheck` over one of the small programs in Tests/WaitingProgram.
struct QueueCheckScene {
  static let program = "\(Repository.products)/waiting-program"

  /// What the program can play, of one kind.
  static func names(of kind: String) async throws -> [String] {
    let outcome = try await ChildProcess(program, [kind, "list"]).run()
    return outcome.output.split(separator: "\n").map(String.init)
  }

  static func play(_ kind: String, _ name: String, _ options: [String] = []) async throws -> ChildProcess.Outcome {
    try await run([program, kind, name], options)
  }

  /// The program goes on when there is a file `go` in its folder. The file comes when the tool's errors have a line of
  /// the pattern.
  ///
  /// - Returns: the outcome, and the kinds of the notes that last to the end.
  static func play(
    _ kind: String, _ name: String, _ options: [String], until line: String
  ) async throws -> (outcome: ChildProcess.Outcome, notes: [String?]) {
    let script = """
      pattern=$1; shift
      "$@" 2> errors & gate=$!
      trap 'kill -TERM $gate 2> /dev/null' EXIT
      await 'grep -q "$pattern" errors || ! kill -0 $gate 2> /dev/null'
      touch go; wait $gate; status=$?; cat errors >&2; exit $status
      """
    return try await TemporaryFolder.with { folder in
      var shell = ChildProcess(
        "bash",
        ["-c", ShellWait.function + script, "-", line, "\(Repository.products)/gate", "queuecheck"] + options
          + ["--json", "written", "--", program, kind, name])
      shell.folder = folder
      let outcome = try await shell.run()
      let text = try Data(contentsOf: URL(filePath: "\(folder)/written"))
      let notes = try JSONValue(parsing: Array(text), limits: .report)["notes"]?.array ?? []
      return (outcome, notes.map { $0["kind"]?.string })
    }
  }

  static func run(_ command: [String], _ options: [String] = []) async throws -> ChildProcess.Outcome {
    var gate = ChildProcess("\(Repository.products)/gate", ["queuecheck"] + options + ["--"] + command)
    // The crash reporter of the Swift runtime would take seconds to say what the report says.
    gate.environment = ["SWIFT_BACKTRACE": "enable=no"]
    return try await gate.run()
  }

  /// The findings that a run writes as JSON.
  static func findings(_ kind: String, _ name: String, _ options: [String] = []) async throws -> [JSONValue] {
    try await written("--json", [program, kind, name], options).value["findings"]?.array ?? []
  }

  /// What a run writes as JSON.
  static func answer(_ kind: String, _ name: String, _ options: [String] = []) async throws -> JSONValue {
    try await written("--json", [program, kind, name], options).value
  }

  /// The timeline of a run.
  static func trace(_ kind: String, _ name: String, _ options: [String] = []) async throws -> JSONValue {
    try await written("--trace", [program, kind, name], options).value
  }

  /// What a run writes to the file of an option.
  static func written(
    _ option: String, _ command: [String], _ options: [String] = []
  ) async throws -> (value: JSONValue, outcome: ChildProcess.Outcome) {
    try await TemporaryFolder.with { folder in
      let outcome = try await run(command, options + [option, "\(folder)/written"])
      let text = try Data(contentsOf: URL(filePath: "\(folder)/written"))
      return (try JSONValue(parsing: Array(text), limits: .report), outcome)
    }
  }
}

extension JSONLimits {
  /// A report is longer than a token.
  static let report = JSONLimits(bytes: 1 << 24, members: 1 << 12)
}
