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
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = URL(filePath: folder)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors, standardInput) = (Pipe(), Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = standardInput
    let ended = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in ended.continuation.finish() }

    try process.run()
    let killer = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(limit), execute: killer)
    defer { killer.cancel() }
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()

    let saysEnough = endsAfterFirstOutput
    async let said = Self.text(of: output) { if saysEnough { process.terminate() } }
    async let complained = Self.text(of: errors) {}
    for await _ in ended.stream {}
    return Outcome(status: process.terminationStatus, output: await said, errors: await complained)
  }

  /// Everything that comes out of a pipe.
  private static func text(of pipe: Pipe, atFirst: @escaping @Sendable () -> Void) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "pipe").async {
        var all = Data()
        while case let some = pipe.fileHandleForReading.availableData, !some.isEmpty {
          if all.isEmpty { atFirst() }
          all += some
        }
        continuation.resume(returning: String(decoding: all, as: UTF8.self))
      }
    }
  }
}
