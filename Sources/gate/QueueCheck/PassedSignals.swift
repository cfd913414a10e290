import GatehouseQueues
import GatehouseSystem

/// Signals that this program gets and another one is meant to get.
///
/// A signal from the terminal's keys reaches the whole process group, the other program included, and is not sent
/// again.
final class PassedSignals: Sendable {
  private struct State: Sendable {
    var program: RunningProgram?
    /// How many `SIGTERM` are left alone because the program has ended and its report is being made.
    var lateTerminations = 0
    /// For a `SIGQUIT` that the starter ignores.
    var lateQuit: SignalWatch?
  }

  /// Those that are passed. `SIGQUIT` also prints the state; `SIGTSTP` also stops this program.
  private static let passed: [Signal] = [
    .interrupt, .terminate, .hangUp, .quit, .user1, .user2, .windowChanged, .terminalStop, .goOn,
  ]
  /// Those that the terminal sends to the whole group.
  private static let fromTerminal: Set<Signal> = [.interrupt, .quit, .windowChanged, .terminalStop]
  /// Those that do not end a program that handles none of them.
  private static let harmless: Set<Signal> = [.windowChanged, .terminalStop, .goOn]

  /// Locked while a signal is sent: until `passNoMore()` has returned, the program's ID does not belong to another
  /// process.
  private let state: Lock<State>
  private let watch: SignalWatch
  private let quit: @Sendable () -> Void

  /// Signals that this program's starter ignores stay ignored, in both programs; but `SIGQUIT` is handled all the same
  /// once the other program has started.
  ///
  /// Handles the signals from the moment at which this returns, as long as it lives. A signal ends this program when it
  /// comes before the other one has started or after it has ended, except that the first two `SIGTERM` after the end
  /// do not: `timeout` sends its signal twice, to its child and to the process group, and what ended the program must
  /// not cost its report. The third one ends a report that is stuck.
  ///
  /// - Parameters:
  ///   - quit: called on SIGQUIT, before it is passed.
  ///   - end: called before a signal ends this program.
  init(quit: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
    let state = Lock(State())
    self.state = state
    self.quit = quit
    watch = SignalWatch(Self.passed.filter { !$0.isIgnored }) { signal in
      // The program may end by it: the state is that of before.
      if signal == .quit { quit() }
      let isPassed = state.withLock { state in
        guard let program = state.program else {
          guard signal == .terminate, state.lateTerminations > 0 else { return false }
          state.lateTerminations -= 1
          return true
        }
        Self.send(signal, to: program)
        return true
      }
      if signal == .terminalStop { CurrentProcess.obey(signal) }
      guard !isPassed, !Self.harmless.contains(signal) else { return }
      end()
      CurrentProcess.exit(signal.status)
    }
  }

  private static func send(_ signal: Signal, to program: RunningProgram) {
    guard !(fromTerminal.contains(signal) && CurrentProcess.hasTerminalKeys) else { return }
    signal.send(to: program.id)
  }

  /// Starts the program. From its first moment on they go there: one that comes meanwhile waits.
  func start(_ program: Program) throws(SystemError) -> RunningProgram {
    let result = state.withLock { state in
      let result = Result<RunningProgram, SystemError> { () throws(SystemError) in try program.start() }
      state.program = try? result.get()
      // A shell has its background jobs ignore it, and a person asks such a job as well. The program, which has been
      // started, ignores it, too.
      state.lateQuit = Signal.quit.isIgnored ? SignalWatch([.quit]) { [quit] _ in quit() } : nil
      return result
    }
    return try result.get()
  }

  /// It has ended.
  func passNoMore() {
    state.withLock { state in
      state.program = nil
      state.lateTerminations = 2
    }
  }
}
