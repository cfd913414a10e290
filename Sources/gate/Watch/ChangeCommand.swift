import Foundation
import GatehouseSystem

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
    environment["GATEHOUSE_TOKEN_FILE"] = tokenFile.map { (try? CurrentProcess.absolute($0)) ?? $0 }
    self.environment = environment
  }

  /// Asks for a run, because something has changed. Returns at once.
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

  /// One run. Its output goes to standard error: standard output is for tokens. A failure is only reported.
  private func run() async {
    let program = Program("/bin/sh", ["/bin/sh", "-c", command], environment: environment, isApart: true)
    let failure: String?
    do throws(SystemError) {
      switch try await program.start().ending() {
      case .exited(0): failure = nil
      case .exited(let status): failure = "ended with status \(status)"
      case .killed(let signal): failure = "ended with signal \(signal.rawValue)"
      }
    } catch {
      failure = "could not be started: \(error)"
    }
    if let failure { StandardError.say("the --on-change command \(failure); the watch goes on") }
  }
}
