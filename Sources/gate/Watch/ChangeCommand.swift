import Foundation
import GatehouseBase

/// A command that runs after each change, never twice at once: changes that come while it runs are one more run.
actor ChangeCommand {
  private let command: String
  private let environment: [String: String]
  private var mustRun = false
  private var running: Task<Void, Never>?

  /// - Parameter tokenFile: where the token is; the command finds the path in `GATEHOUSE_TOKEN_FILE`.
  init(_ command: String, tokenFile: String?) {
    self.command = command
    var environment = ProcessInfo.processInfo.environment
    environment["GATEHOUSE_TOKEN_FILE"] = tokenFile.map { URL(fileURLWithPath: $0).path }
    self.environment = environment
  }

  /// There is something new. Returns at once.
  func isDue() {
    mustRun = true
    guard running == nil else { return }
    running = Task {
      while mustRun {
        mustRun = false
        await run()
      }
      running = nil
    }
  }

  /// Returns when the runs that are due have ended.
  func finish() async { await running?.value }

  /// One run. Its output goes to standard error: standard output is for tokens. A failure is said, and no more.
  private func run() async {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.standardError
    process.standardError = FileHandle.standardError
    let failure: String? = await withCheckedContinuation { continuation in
      process.terminationHandler = { ended in
        let status = ended.terminationStatus
        let way = ended.terminationReason == .exit ? "status" : "signal"
        continuation.resume(returning: way == "status" && status == 0 ? nil : "ended with \(way) \(status)")
      }
      do { try process.run() } catch {
        continuation.resume(returning: "could not be started: \(error.localizedDescription)")
      }
    }
    if let failure { StandardError.say("the --on-change command \(failure); the watch goes on") }
  }
}
