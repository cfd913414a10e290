import GatehouseQueues
import GatehouseSystem

/// Passes the signals that this program receives on to another program.
///
/// A signal from the terminal's keys reaches the whole process group, including the other program, and is not sent a
/// second time.
final class PassedSignals: Sendable {
  private struct State: Sendable {
    var program: RunningProgram?
    var hasEnded = false
    /// Whether the search for the report shall end.
    var isEnough = false
    /// The number of `SIGTERM` that are still to be ignored: copies of one that has had its effect.
    var copies = 0
    /// The watch for signals that this program's starter ignores.
    var lateWatch: SignalWatch?

    /// Handles a signal after the program has ended. Returns whether this program shall go on.
    mutating func goesOn(after signal: Signal) -> Bool {
      guard hasEnded else { return false }
      if signal == .terminate, copies > 0 {
        copies -= 1
        return true
      }
      guard signal == .terminate || signal == .interrupt, !isEnough else { return false }
      isEnough = true
      copies = signal == .terminate ? 1 : 0
      return true
    }
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

  /// Handles the signals from the moment at which this returns, for as long as the object lives.
  ///
  /// Signals that this program's starter ignores stay ignored in both programs. But the other program may have handlers
  /// for `SIGINT` and `SIGQUIT`, so these two are passed on. They do not end this program.
  ///
  /// A signal ends this program if it arrives before the other one has started. After the other one's end, the first
  /// `SIGTERM` or `SIGINT` only ends the search for cycles, and what is known by then is printed. `timeout` sends
  /// `SIGTERM` twice, to its child and to the process group. So a second `SIGTERM` is ignored, whether the first one
  /// came before the other program's end or after it. Any further signal ends this program, in case the report is
  /// stuck.
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
        guard let program = state.program else { return state.goesOn(after: signal) }
        if signal == .terminate { state.copies = 1 - min(state.copies, 1) }
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
      // A shell makes its background jobs ignore SIGINT and SIGQUIT, but a person may send them to such a job too. The
      // program was already started, so it ignores the signals as well, unless it changes that.
      let ignored = [Signal.interrupt, .quit].filter(\.isIgnored)
      state.lateWatch =
        ignored.isEmpty
        ? nil
        : SignalWatch(ignored) { [quit, own = self.state] signal in
          if signal == .quit { quit() }
          own.withLock { if let program = $0.program { Self.send(signal, to: program) } }
        }
      return result
    }
    return try result.get()
  }

  /// Call this when the program has ended. From then on no signal is passed on.
  func passNoMore() {
    state.withLock { state in
      state.program = nil
      state.hasEnded = true
    }
  }

  /// Whether the user wants what is known so far, after the program has ended.
  var areEnough: Bool { state.withLock { $0.isEnough } }
}
