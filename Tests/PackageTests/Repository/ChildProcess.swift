import Dispatch
import Foundation
import HangGuard
import Synchronization

/// A program that a test runs to its end.
struct ChildProcess: Sendable {
  let program: String
  var arguments: [String] = []
  var folder = Repository.root
  /// What it reads from its standard input.
  var input = ""
  /// What differs from this process's own.
  var environment: [String: String] = [:]
  /// Whether it gets SIGTERM as soon as it has printed something.
  var endsAfterFirstOutput = false

  struct Outcome: Sendable, CustomStringConvertible {
    let status: Int32
    let output: String
    let errors: String

    var succeeded: Bool { status == 0 }
    var description: String { "exit status \(status)\n\(output)\(errors)" }
  }

  init(_ program: String, _ arguments: [String] = []) {
    self.program = program
    self.arguments = arguments
  }

  func run() async throws -> Outcome {
    let child = try Spawned(
      ["/usr/bin/env", "-C", folder, program] + arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    let silence = Silence(of: child), saysEnough = endsAfterFirstOutput
    async let said = Self.text(of: child.output) {
      silence.isBroken()
      if saysEnough { child.signal(SIGTERM) }
    }
    async let complained = Self.text(of: child.errors) { silence.isBroken() }
    async let status = child.status()
    try? child.input.write(contentsOf: Data(input.utf8))
    try child.input.close()
    return Outcome(status: await status, output: await said, errors: await complained)
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

/// Kills a program that prints nothing for as long as a hang may last. One that works for longer tells how far it is.
private final class Silence: Sendable {
  private let child: Spawned
  private let outputs = Mutex(0)

  init(of child: Spawned) {
    self.child = child
    watch()
  }

  func isBroken() { outputs.withLock { $0 += 1 } }

  private func watch() {
    let before = outputs.withLock { $0 }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Watchdog.seconds)) { [weak self] in
      guard let self else { return }
      if outputs.withLock({ $0 }) == before { child.signal(SIGKILL) } else { watch() }
    }
  }
}
