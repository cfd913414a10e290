import GatehouseQueues
import GatehouseSystem

/// A command that runs after each change, never twice at once: changes that come while it runs are one more run.
final class ChangeCommand: Sendable {
  private struct State: Sendable {
    /// Something has changed since the last run began.
    var isDue = false
    /// No run begins any more, and none is asked for.
    var isOver = false
    /// Runs what is due.
    var runs: Task<Void, Never>?
    /// While its number cannot be another process's.
    var program: RunningProgram?
    /// Whether it was said that this run is stopped.
    var isStopSaid = false
  }

  private let program: Program
  private let state = Lock(State())

  /// How long a command may go on when the watch ends, in seconds.
  static let patience = 10
  /// How long it may go on after SIGTERM then, in seconds.
  private static let lastPatience = 2

  /// - Parameter tokenFile: where the token is; the command finds the path in `GATEHOUSE_TOKEN_FILE`.
  init(_ command: String, tokenFile: String?) {
    program = Program(
      "/bin/sh", ["/bin/sh", "-c", command], setting: ["GATEHOUSE_TOKEN_FILE": tokenFile], isApart: true)
  }

  /// Asks for a run, because something has changed. Returns at once.
  func isDue() {
    state.withLock { state in
      guard !state.isOver else { return }
      state.isDue = true
      if state.runs == nil { state.runs = Task { [self] in await runWhatIsDue() } }
    }
  }

  /// Says so once when the command that runs is stopped: none begins after it.
  func look() {
    let stopped = state.withLock { state -> RunningProgram? in
      guard let program = state.program, !state.isStopSaid, program.isStopped else { return nil }
      state.isStopSaid = true
      return program
    }
    guard let stopped else { return }
    StandardError.say(
      "the --on-change command is stopped (the system stops one that reads the terminal), and no other begins until it "
        + "ends; run: kill -KILL -- -\(stopped.id)")
  }

  /// Returns when the command has ended, after 10 seconds and a SIGTERM at the latest.
  ///
  /// - Parameter startingDue: whether a run that is due still begins.
  func finish(startingDue: Bool) async {
    let runs = state.withLock { state in
      state.isOver = true
      if !startingDue { state.isDue = false }
      return state.runs
    }
    guard let runs else { return }
    let limit = Task { [self] in
      try await Task.sleep(for: .seconds(1))
      StandardError.say(
        "waiting for the --on-change command, \(Self.patience) s at most; a second signal ends it at once")
      try await Task.sleep(for: .seconds(Self.patience - 1))
      StandardError.say("the --on-change command still runs after \(Self.patience) s, and is ended")
      state.withLock { $0.isDue = false }
      end(with: .terminate)
      try await Task.sleep(for: .seconds(Self.lastPatience))
      end(with: .kill)
    }
    await runs.value
    limit.cancel()
  }

  /// Sends a signal to the command and to the programs that it runs, if it runs.
  func end(with signal: Signal) { state.withLock { state in state.program.map { signal.send(toGroup: $0.id) } } }

  private func runWhatIsDue() async {
    while let started = startIfDue() {
      let failure: String?
      switch started {
      case .success(let running):
        switch await running.ending({ [self] in state.withLock { $0.program = nil } }) {
        case .exited(0): failure = nil
        case .exited(let status): failure = "ended with status \(status)"
        case .killed(let signal): failure = "ended with signal \(signal.rawValue)"
        }
      case .failure(let error): failure = "could not be started: \(error)"
      }
      guard let failure else { continue }
      let isOver = state.withLock { $0.isOver }
      StandardError.say("the --on-change command \(failure)\(isOver ? "" : "; the watch goes on")")
    }
  }

  /// Starts the command under the lock, so that none starts after `finish`. Its output goes to standard error: standard
  /// output is for tokens.
  private func startIfDue() -> Result<RunningProgram, SystemError>? {
    state.withLock { state in
      guard state.isDue else {
        state.runs = nil
        return nil
      }
      state.isDue = false
      do throws(SystemError) {
        let running = try program.start()
        state.program = running
        state.isStopSaid = false
        return .success(running)
      } catch {
        return .failure(error)
      }
    }
  }
}

extension RunningProgram {
  /// Whether a signal has stopped it (`SIGTTIN`, `SIGSTOP`), by its state in `/proc/ID/stat`.
  fileprivate var isStopped: Bool {
    guard let stat = try? OpenFile("/proc/\(id)/stat").readAll(limit: 4096) else { return false }
    // The name before it may hold any character.
    guard let name = stat.lastIndex(of: UInt8(ascii: ")")) else { return false }
    return stat[name...].dropFirst(2).first == UInt8(ascii: "T")
  }
}
