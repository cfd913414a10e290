import Dispatch
import Glibc
import Synchronization

/// Hears the signals that ask the program to end, `SIGINT` and `SIGTERM`.
///
/// The first one that comes after `init` has returned is heard, however busy the machine is; until then a signal ends
/// the program, and so does a second one.
final class EndSignals {
  private static let signals = [SIGINT, SIGTERM]
  private let sources: [any DispatchSourceSignal]

  /// - Parameter handler: runs on a background thread at the first signal.
  init(_ handler: @escaping @Sendable () -> Void) {
    let wasHeard = Once()
    // Dispatch takes a signal over some time after the source's activation. Who ignores the signal meanwhile, as is
    // often advised, loses it.
    let ready = DispatchSemaphore(value: 0)
    sources = Self.signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        guard wasHeard.isFirst() else { exit(128 + number) }
        handler()
      }
      source.setRegistrationHandler { ready.signal() }
      source.activate()
      return source
    }
    for _ in sources { ready.wait() }
  }

  /// From now on a signal ends the program.
  func cancel() {
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }
}

/// Something that happens once.
private final class Once: Sendable {
  private let happened = Atomic(false)

  func isFirst() -> Bool { !happened.exchange(true, ordering: .relaxed) }
}
