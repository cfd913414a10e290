import GatehouseQueues
import GatehouseSystem

/// A command that runs after each change, but never twice at once: all changes during a run lead to one more run.
final class ChangeCommand: Sendable {
  private struct State: Sendable {
    /// Whether something has changed since the last run began.
    var isDue = false
    /// Whether it is over: no run begins any more, and none can be asked for.
    var isOver = false
    /// The task that runs the command as long as runs are due.
    var runs: Task<Void, Never>?
    /// The running program, as long as its process ID cannot belong to another process.
    var program: RunningProgram?
    /// Whether it was reported that this run is stopped.
    var isStopSaid = false
    /// Whether the watch itself has ended the command by a signal. That is no failure to report.
    var isEnded = false
  }

  private let program: Program
  private let name: String
  private let state = Lock(State())

  /// How long a command may continue after the watch has ended, in seconds.
  static let patience = 10
  /// How long it may continue after the SIGTERM that follows, in seconds.
  private static let lastPatience = 2

  /// - Parameters:
  ///   - name: the command's name in messages.
  ///   - tokenFile: the path of the file with the token. The command finds it in `GATEHOUSE_TOKEN_FILE`.
  init(_ command: String, name: String = "the --on-change command", tokenFile: String?) {
    self.name = name
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

  /// Reports once if a signal has stopped the running command, because no other run begins after it.
  func look() {
    let stopped = state.withLock { state -> RunningProgram? in
      guard let program = state.program, !state.isStopSaid, program.isStopped else { return nil }
      state.isStopSaid = true
      return program
    }
    guard let stopped else { return }
    StandardError.say(
      "\(name) is stopped (the system stops one that reads the terminal), and no other begins until it "
        + "ends; run: kill -KILL -- -\(stopped.id)")
  }

  /// Waits until the command has ended. After 10 seconds the command gets a SIGTERM, and two seconds later it is
  /// killed.
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
        "waiting for \(name), \(Self.patience) s at most; a second signal ends it at once")
      try await Task.sleep(for: .seconds(Self.patience - 1))
      StandardError.say("\(name) still runs after \(Self.patience) s, and is ended")
      state.withLock { $0.isDue = false }
      end(with: .terminate)
      try await Task.sleep(for: .seconds(Self.lastPatience))
      end(with: .kill)
    }
    await runs.value
    limit.cancel()
  }

  /// Sends a signal to the running command and the programs that it runs, if there is one.
  func end(with signal: Signal) {
    state.withLock { state in
      state.isEnded = true
      state.program.map { signal.send(toGroup: $0.id) }
    }
  }

  private func runWhatIsDue() async {
    while let started = startIfDue() {
      let failure: String?
      switch started {
      case .success(let running):
        switch await running.ending({ [self] in state.withLock { $0.program = nil } }) {
        case .exited(0): failure = nil
        case .exited(let status): failure = "ended with status \(status)"
        case .killed(let signal):
          failure = state.withLock(\.isEnded) ? nil : "ended with signal \(signal.rawValue)"
        }
      case .failure(let error): failure = "could not be started: \(error)"
      }
      guard let failure else { continue }
      let isOver = state.withLock { $0.isOver }
      StandardError.say("\(name) \(failure)\(isOver ? "" : "; the watch goes on")")
    }
  }

  /// Starts the command under the lock, so that no run starts after `finish`. The command's output goes to standard
  /// error, because standard output is for tokens.
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
  /// Whether a signal has stopped it (`SIGTTIN`, `SIGSTOP`), according to its state in `/proc/ID/stat`.
  fileprivate var isStopped: Bool {
    guard let stat = try? OpenFile("/proc/\(id)/stat").readAll(limit: 4096) else { return false }
    // The name comes before the state, and may contain any character.
    guard let name = stat.lastIndex(of: UInt8(ascii: ")")) else { return false }
    return stat[name...].dropFirst(2).first == UInt8(ascii: "T")
  }
}
