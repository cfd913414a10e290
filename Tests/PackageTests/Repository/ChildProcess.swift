import Dispatch
import Foundation

/// A program that a test runs to its end.
struct ChildProcess: Sendable {
  let program: String
  var arguments: [String] = []
  var folder = Repository.root
  /// What it reads from its standard input.
  var input = ""
  /// What differs from this process's own.
  var environment: [String: String] = [:]
  /// When to kill it, in seconds.
  var limit = 120
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
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(limit)) { [weak child] in child?.signal(SIGKILL) }

    let saysEnough = endsAfterFirstOutput
    async let said = Self.text(of: child.output) { if saysEnough { child.signal(SIGTERM) } }
    async let complained = Self.text(of: child.errors) {}
    async let status = child.status()
    try? child.input.write(contentsOf: Data(input.utf8))
    try child.input.close()
    return Outcome(status: await status, output: await said, errors: await complained)
  }

  /// Everything that comes out of a pipe.
  private static func text(of pipe: FileHandle, atFirst: @escaping @Sendable () -> Void) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "pipe").async {
        var all = Data()
        while case let some = pipe.availableData, !some.isEmpty {
          if all.isEmpty { atFirst() }
          all += some
        }
        continuation.resume(returning: String(decoding: all, as: UTF8.self))
      }
    }
  }
}
