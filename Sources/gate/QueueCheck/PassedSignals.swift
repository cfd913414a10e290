import Dispatch
import GatehouseQueues
import Glibc

/// Signals that this program gets and another one is meant to get: interrupt, terminate, hang up.
///
/// What comes from the terminal's keys reached the whole process group, the other program included, and is not sent
/// again.
final class PassedSignals {
  private static let passed = [SIGINT, SIGTERM, SIGHUP]
  private let program = Lock<pid_t?>(nil)
  private let sources: [any DispatchSourceSignal]

  /// Hears them from the moment on at which this returns, as long as it lives. A signal that comes while there is no
  /// program ends this one.
  ///
  /// - Parameters:
  ///   - quit: called on SIGQUIT, which is not passed.
  ///   - end: called before a signal ends this program.
  init(quit: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
    // Dispatch's own: it is given by Dispatch, and no program that is watched has to do with it.
    let ready = DispatchSemaphore(value: 0)
    let program = program
    sources = (Self.passed + [SIGQUIT]).map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if number == SIGQUIT { return quit() }
        guard let program = program.withLock({ $0 }) else {
          end()
          exit(128 + number)
        }
        let isFromKeys = tcgetpgrp(STDIN_FILENO) == getpgrp() && number == SIGINT
        if !isFromKeys { kill(program, number) }
      }
      source.setRegistrationHandler { ready.signal() }
      source.activate()
      return source
    }
    for _ in sources { ready.wait() }
  }

  /// From now on they go there.
  func pass(to program: pid_t) { self.program.withLock { $0 = program } }

  /// It has ended.
  func passNoMore() { program.withLock { $0 = nil } }
}
