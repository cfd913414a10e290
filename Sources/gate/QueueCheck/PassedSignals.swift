import GatehouseQueues
import GatehouseSystem

/// Passes the signals that this program receives on to another program.
///
/// A signal from the terminal's keys reaches the whole process group, including the other program, and is not sent a
/// second time.
final class PassedSignals: Sendable {
  private struct State: Sendable {
    var program: RunningProgram?
    /// The number of `SIGTERM` that are still to be ignored, because the program has ended and its report is being
    /// made.
    var lateTerminations = 0
    /// The watch for `SIGQUIT`, if this program's starter ignores that signal.
    var lateQuit: SignalWatch?
  }

  /// The signals that are passed on. `SIGQUIT` also prints the state, and `SIGTSTP` also stops this program.
  private static let passed: [Signal] = [
    .interrupt, .terminate, .hangUp, .quit, .user1, .user2, .windowChanged, .terminalStop, .goOn,
  ]
  /// The signals that the terminal sends to the whole process group.
  private static let fromTerminal: Set<Signal> = [.interrupt, .quit, .windowChanged, .terminalStop]
  /// The signals that do not end a program which does not handle them.
  private static let harmless: Set<Signal> = [.windowChanged, .terminalStop, .goOn]

  /// Locked while a signal is sent. Until `passNoMore()` has returned, the program's process ID cannot belong to
  /// another process.
  private let state: Lock<State>
  private let watch: SignalWatch
  private let quit: @Sendable () -> Void

  /// Handles the signals from the moment at which this returns, for as long as the object lives. Signals that this
  /// program's starter ignores stay ignored in both programs, except that `SIGQUIT` is handled once the other program
  /// has started.
  ///
  /// A signal ends this program if it arrives before the other one has started or after it has ended. The first two
  /// `SIGTERM` after the end are an exception: `timeout` sends its signal twice, to its child and to the process group,
  /// and the signal that ended the program must not prevent its report. The third one ends a report that is stuck.
  ///
  /// - Parameters:
  ///   - quit: called on `SIGQUIT`, before the signal is passed on.
  ///   - end: called before a signal ends this program.
  init(quit: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
    let state = Lock(State())
    self.state = state
    self.quit = quit
    watch = SignalWatch(Self.passed.filter { !$0.isIgnored }) { signal in
      // The state is printed before the signal is passed on, because the signal may end the program.
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

  /// Starts the program. From its first moment on, signals go to it: one that arrives during the start waits.
  func start(_ program: Program) throws(SystemError) -> RunningProgram {
    let result = state.withLock { state in
      let result = Result<RunningProgram, SystemError> { () throws(SystemError) in try program.start() }
      state.program = try? result.get()
      // A shell makes its background jobs ignore this signal, but a person may send it to such a job too. The program
      // was already started, so it ignores the signal as well.
      state.lateQuit = Signal.quit.isIgnored ? SignalWatch([.quit]) { [quit] _ in quit() } : nil
      return result
    }
    return try result.get()
  }

  /// Call this when the program has ended. From then on no signal is passed on.
  func passNoMore() {
    state.withLock { state in
      state.program = nil
      state.lateTerminations = 2
    }
  }
}
