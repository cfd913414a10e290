import GatehouseQueues
import GatehouseSystem

/// Signals that this program gets and another one is meant to get: interrupt, terminate, hang up.
///
/// What comes from the terminal's keys reached the whole process group, the other program included, and is not sent
/// again.
final class PassedSignals: Sendable {
  private struct State: Sendable {
    var program: RunningProgram?
    /// `timeout` ends a whole process group, twice: what ended the program must not cost its report.
    var hasEnded = false
  }

  /// Locked while a signal is sent: until `passNoMore()` has returned, the program's number is no other process's.
  private let state: Lock<State>
  private let watch: SignalWatch

  /// Hears them from the moment on at which this returns, as long as it lives. A signal that comes before the program
  /// has started ends this one; behind the program's end, only `SIGTERM` does not, because the report is on its way.
  ///
  /// - Parameters:
  ///   - quit: called on SIGQUIT, which is not passed.
  ///   - end: called before a signal ends this program.
  init(quit: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
    let state = Lock(State())
    self.state = state
    watch = SignalWatch([.interrupt, .terminate, .hangUp, .quit]) { signal in
      if signal == .quit { return quit() }
      let isPassed = state.withLock { state in
        guard let program = state.program else { return state.hasEnded && signal == .terminate }
        if signal != .interrupt || !CurrentProcess.hasTerminalKeys { signal.send(to: program.id) }
        return true
      }
      guard !isPassed else { return }
      end()
      CurrentProcess.exit(signal.status)
    }
  }

  /// From now on they go there.
  func pass(to program: RunningProgram) { state.withLock { $0.program = program } }

  /// It has ended.
  func passNoMore() {
    state.withLock { state in
      state.program = nil
      state.hasEnded = true
    }
  }
}
