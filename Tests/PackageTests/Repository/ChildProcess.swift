import Dispatch
import Foundation
import HangGuard
import Synchronization
import Testing

/// A program that a test runs to its end.
struct ChildProcess: Sendable, CustomStringConvertible {
  let program: String
  var arguments: [String] = []
  var folder = Repository.root
  /// What it reads from its standard input.
  var input = ""
  /// The variables that differ from this process's own.
  var environment: [String: String] = [:]
  /// Whether it gets SIGTERM as soon as it has printed something.
  var endsAfterFirstOutput = false
  /// The longest time for which it may print nothing: it is killed then. A program that works for longer tells how far
  /// it is. A guard in the program itself comes before, because it says what hangs.
  var patience = Duration.seconds(Watchdog.seconds * 3 / 2)
  /// The notes of its hang or its crash.
  var notes = EndNotes.shared

  /// Its command, in one line.
  var description: String { ([program] + arguments).joined(separator: " ").replacing("\n", with: " ") }

  struct Outcome: Sendable, CustomStringConvertible {
    let status: Int32
    let output: String
    let errors: String

    var succeeded: Bool { status == 0 }
    var description: String { "exit status \(status)\n\(output)\(errors)" }

    /// Whether a signal of the kind that faults cause has ended the program, or one that its shell started, or whether
    /// `timeout` has. A shell prints so, or the line of shell prints the status.
    var isCrash: Bool {
      let end = "status \(status)\n\(output.suffix(1_000))\n\(errors.suffix(1_000))"
      return end.contains(
        /\bstatus (?:124|13[2-69]|159)\b|Illegal instruction|race\/breakpoint trap|Aborted|Bus error|Segmentation fault/
      )
    }
  }

  init(_ program: String, _ arguments: [String] = []) {
    self.program = program
    self.arguments = arguments
  }

  func run() async throws -> Outcome {
    let child = try Spawned(
      ["/usr/bin/env", "-C", folder, program] + arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    let hang = "Hang: for \(patience) it has printed nothing, and it is killed: \(self)\n"
    let silence = Silence(patience) { [notes] in
      notes.add(hang: hang)
      child.signal(SIGKILL)
    }
    let saysEnough = endsAfterFirstOutput
    async let said = Self.text(of: child.output) {
      silence.isBroken()
      if saysEnough { child.signal(SIGTERM) }
    }
    async let complained = Self.text(of: child.errors) { silence.isBroken() }
    async let status = child.status()
    try? child.input.write(contentsOf: Data(input.utf8))
    try child.input.close()
    let outcome = Outcome(
      status: await status, output: await said, errors: await complained + (silence.isTooLong ? hang : ""))
    if outcome.isCrash, let test = Test.current {
      notes.add(crash: "\(self): exit status \(outcome.status)", in: "\(test.id)")
    }
    return outcome
  }

  /// Everything that comes out of a pipe. `atOutput` runs at each part of it.
  private static func text(of pipe: FileHandle, atOutput: @escaping @Sendable () -> Void) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "pipe").async {
        var all = Data()
        while case let some = pipe.availableData, !some.isEmpty {
          atOutput()
          all += some
        }
        continuation.resume(returning: String(decoding: all, as: UTF8.self))
      }
    }
  }
}

/// Notices when a program prints nothing for too long.
private final class Silence: Sendable {
  private let patience: Duration
  private let end: @Sendable () -> Void
  private let state = Mutex((outputs: 0, isTooLong: false))

  /// - Parameter end: is called once, if the silence is too long.
  init(_ patience: Duration, end: @escaping @Sendable () -> Void) {
    self.patience = patience
    self.end = end
    watch()
  }

  var isTooLong: Bool { state.withLock { $0.isTooLong } }

  func isBroken() { state.withLock { $0.outputs += 1 } }

  private func watch() {
    let before = state.withLock { $0.outputs }
    let seconds = patience / .seconds(1)
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
      guard let self else { return }
      let isTooLong = state.withLock { state in
        state.isTooLong = state.outputs == before
        return state.isTooLong
      }
      if isTooLong { end() } else { watch() }
    }
  }
}
