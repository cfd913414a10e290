import GatehouseQueues
import GatehouseSystem

/// Signals that this program gets and another one is meant to get: interrupt, terminate, hang up.
///
/// What comes from the terminal's keys reached the whole process group, the other program included, and is not sent
/// again.
final class PassedSignals: Sendable {
  /// Locked while a signal is sent: until `passNoMore()` has returned, the program's number is no other process's.
  private let program: Lock<RunningProgram?>
  private let watch: SignalWatch

  /// Hears them from the moment on at which this returns, as long as it lives. A signal that comes while there is no
  /// program ends this one.
  ///
  /// - Parameters:
  ///   - quit: called on SIGQUIT, which is not passed.
  ///   - end: called before a signal ends this program.
  init(quit: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
    let program = Lock<RunningProgram?>(nil)
    self.program = program
    watch = SignalWatch([.interrupt, .terminate, .hangUp, .quit]) { signal in
      if signal == .quit { return quit() }
      let isPassed = program.withLock { program in
        guard let program else { return false }
        if signal != .interrupt || !CurrentProcess.hasTerminalKeys { signal.send(to: program.id) }
        return true
      }
      guard !isPassed else { return }
      end()
      CurrentProcess.exit(signal.status)
    }
  }

  /// From now on they go there.
  func pass(to program: RunningProgram) { self.program.withLock { $0 = program } }

  /// It has ended.
  func passNoMore() { program.withLock { $0 = nil } }
}
