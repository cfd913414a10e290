import GatehouseBase
import GatehouseQueues
import GatehouseSystem
import Synchronization

/// Handles the signals that ask the program to end: `SIGINT`, `SIGTERM`, and `SIGHUP` when the terminal is gone.
/// Signals that the program's starter ignores stay ignored, as `nohup` requires.
///
/// The first signal after `init` has returned is always noticed, however busy the machine is. A signal before that ends
/// the program, and so does a second signal. Signals within 100 ms count as one: a terminal and `npm` send one each.
final class EndSignals {
  private struct Heard: Sendable {
    var count = 0
    /// The boot clock's reading at the last signal that counted.
    var last = -Double.infinity
  }

  private let watch: SignalWatch
  private let heard: Lock<Heard>

  /// The time in which further signals count as the same one, in seconds.
  private static let repetition = 0.1

  /// - Parameters:
  ///   - signals: the signals that ask the program to end.
  ///   - handler: runs on a background thread at the first signal.
  ///   - again: runs at each further signal, with the number of signals so far. The program ends if it returns `true`.
  init(
    _ signals: [Signal] = [.interrupt, .terminate, .hangUp], _ handler: @escaping @Sendable () -> Void,
    again: @escaping @Sendable (Int) -> Bool = { _ in true }
  ) {
    let heard = Lock(Heard())
    self.heard = heard
    watch = SignalWatch(signals.filter { !$0.isIgnored }) { signal in
      let now = SystemClocks().now().boot
      let count = heard.withLock { heard -> Int? in
        guard now - heard.last >= Self.repetition else { return nil }
        heard.last = now
        heard.count += 1
        return heard.count
      }
      switch count {
      case nil: break
      case 1: handler()
      case let count?:
        guard again(count) else { break }
        StandardError.finish()
        CurrentProcess.exit(signal.status)
      }
    }
  }

  /// Call this when the program is already ending: the next signal then counts as the second one.
  func endAtNext() { heard.withLock { $0.count = max($0.count, 1) } }

  /// From now on, a signal ends the program.
  func cancel() { watch.cancel() }
}

/// Something that happens only once.
final class Once: Sendable {
  private let happened = Atomic(false)

  func isFirst() -> Bool { !happened.exchange(true, ordering: .relaxed) }
}
