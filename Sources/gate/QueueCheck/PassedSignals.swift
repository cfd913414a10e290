import GatehouseQueues
import GatehouseSystem

/// Signals that this program gets and another one is meant to get: interrupt, terminate, hang up.
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
  ///   - quit: called on SIGQUIT, which is not passed.
  ///   - end: called before a signal ends this program.
  init(quit: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
    let state = Lock(State())
    self.state = state
    self.quit = quit
    let signals: [Signal] = [.interrupt, .terminate, .hangUp, .quit]
    watch = SignalWatch(signals.filter { !$0.isIgnored }) { signal in
      if signal == .quit { return quit() }
      let isPassed = state.withLock { state in
        guard let program = state.program else {
          guard signal == .terminate, state.lateTerminations > 0 else { return false }
          state.lateTerminations -= 1
          return true
        }
        if signal != .interrupt || !CurrentProcess.hasTerminalKeys { signal.send(to: program.id) }
        return true
      }
      guard !isPassed else { return }
      end()
      CurrentProcess.exit(signal.status)
    }
  }

  /// From now on they go there.
  func pass(to program: RunningProgram) {
    // A shell has its background jobs ignore it, and a person asks such a job as well.
    let lateQuit = Signal.quit.isIgnored ? SignalWatch([.quit]) { [quit] _ in quit() } : nil
    state.withLock { state in
      state.program = program
      state.lateQuit = lateQuit
    }
  }

  /// It has ended.
  func passNoMore() {
    state.withLock { state in
      state.program = nil
      state.lateTerminations = 2
    }
  }
}
