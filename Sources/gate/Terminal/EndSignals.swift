import GatehouseSystem
import Synchronization

/// Handles the signals that ask the program to end, `SIGINT` and `SIGTERM`.
///
/// The first one that comes after `init` has returned is heard, however busy the machine is; until then a signal ends
/// the program, and so does a second one.
final class EndSignals {
  private let watch: SignalWatch

  /// - Parameter handler: runs on a background thread at the first signal.
  init(_ handler: @escaping @Sendable () -> Void) {
    let wasHeard = Once()
    watch = SignalWatch([.interrupt, .terminate]) { signal in
      guard wasHeard.isFirst() else { CurrentProcess.exit(signal.status) }
      handler()
    }
  }

  /// From now on a signal ends the program.
  func cancel() { watch.cancel() }
}

/// Something that happens once.
private final class Once: Sendable {
  private let happened = Atomic(false)

  func isFirst() -> Bool { !happened.exchange(true, ordering: .relaxed) }
}
