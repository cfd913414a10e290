import Dispatch
import Glibc

/// Signals that this program gets and another one is meant to get: interrupt, terminate, hang up.
///
/// What comes from the terminal's keys reached the whole process group, the other program included, and is not sent again.
final class PassedSignals {
  private static let passed = [SIGINT, SIGTERM, SIGHUP]
  private var sources: [any DispatchSourceSignal] = []
  private let ready = DispatchSemaphore(value: 0)

  init() {}

  /// From now on, until `cancel`. `quit` is called on SIGQUIT, which is not passed.
  func pass(to program: pid_t, quit: @escaping @Sendable () -> Void) {
    for number in Self.passed + [SIGQUIT] {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if number == SIGQUIT { return quit() }
        let isForeground = tcgetpgrp(STDIN_FILENO) == getpgrp() && number == SIGINT
        if !isForeground { kill(program, number) }
      }
      source.setRegistrationHandler { [ready] in ready.signal() }
      source.activate()
      sources.append(source)
    }
    for _ in sources { ready.wait() }
  }

  func cancel() {
    for source in sources { source.cancel() }
  }
}
