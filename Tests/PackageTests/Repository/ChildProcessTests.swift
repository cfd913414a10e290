import Foundation
import HangGuard
import Testing

/// A child that goes wrong is noted for `scripts/test`, whatever its test makes of it.
struct ChildProcessTests {
  @Test func `a program that prints nothing is killed, and what hung is said`() async throws {
    try await TemporaryFolder.with { folder in
      var child = ChildProcess("tail", ["-f", "/dev/null"])
      child.patience = .milliseconds(50)
      child.notes = EndNotes(folder: folder)
      let outcome = try await child.run()
      let hang = "Hang: for 0.05 seconds it has printed nothing, and it is killed: \(child)\n"
      #expect(outcome.status == 128 + SIGKILL && outcome.output == "" && outcome.errors == hang, "\(outcome)")
      #expect(try String(contentsOfFile: "\(folder)/hangs", encoding: .utf8) == hang)
    }
  }

  /// In the third the shell tells of the signal of a program that it started. 124 is the status of `timeout`.
  @Test(arguments: [
    ("kill -SEGV $$", 139), ("exit 134", 134), ("sh -c 'kill -SEGV $$'; exit 5", 5), ("exit 124", 124),
    ("(exit 139); echo status $? >&2", 0), ("(exit 124); echo status $?", 0),
  ])
  func `a crash and a limit of the shell are noted`(line: String, status: Int32) async throws {
    let (outcome, notes) = try await Self.run(line)
    #expect(outcome.status == status)
    #expect(notes.hasPrefix("PackageTests.ChildProcessTests/`a crash and a limit of the shell are noted`"), "\(notes)")
    #expect(notes.hasSuffix("\tsh -c \(line): exit status \(status)\n"), "\(notes)")
  }

  @Test(arguments: ["exit 0", "exit 13", "exit 143", "kill -KILL $$", "echo status 1390"])
  func `other ends are not noted`(line: String) async throws {
    #expect(try await Self.run(line).notes == "")
  }

  private static func run(_ line: String) async throws -> (outcome: ChildProcess.Outcome, notes: String) {
    try await TemporaryFolder.with { folder in
      var child = ChildProcess("sh", ["-c", line])
      child.notes = EndNotes(folder: folder)
      let outcome = try await child.run()
      return (outcome, (try? String(contentsOfFile: "\(folder)/crashes", encoding: .utf8)) ?? "")
    }
  }
}
