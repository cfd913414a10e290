import GatehouseSystem
import Synchronization

/// Handles the signals that ask the program to end: `SIGINT`, `SIGTERM`, and `SIGHUP` when the terminal is gone.
/// Signals that the program's starter ignores stay ignored, as `nohup` requires.
///
/// The first signal after `init` has returned is always noticed, however busy the machine is. A signal before that ends
/// the program, and so does a second signal.
final class EndSignals {
  private let watch: SignalWatch
  private let wasHeard: Once

  /// - Parameters:
  ///   - signals: the signals that ask the program to end.
  ///   - handler: runs on a background thread at the first signal.
  ///   - again: runs before a second signal ends the program.
  init(
    _ signals: [Signal] = [.interrupt, .terminate, .hangUp], _ handler: @escaping @Sendable () -> Void,
    again: @escaping @Sendable () -> Void = {}
  ) {
    let wasHeard = Once()
    self.wasHeard = wasHeard
    watch = SignalWatch(signals.filter { !$0.isIgnored }) { signal in
      guard wasHeard.isFirst() else {
        again()
        CurrentProcess.exit(signal.status)
      }
      handler()
    }
  }

  /// Call this when the program is already ending: the next signal then counts as the second one.
  func endAtNext() { _ = wasHeard.isFirst() }

  /// From now on, a signal ends the program.
  func cancel() { watch.cancel() }
}

/// Something that happens only once.
final class Once: Sendable {
  private let happened = Atomic(false)

  func isFirst() -> Bool { !happened.exchange(true, ordering: .relaxed) }
}
