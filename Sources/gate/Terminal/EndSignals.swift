import Dispatch
import Glibc

/// Hears the signals that ask the program to end, `SIGINT` and `SIGTERM`, once.
final class EndSignals {
  private let sources: [any DispatchSourceSignal]

  /// - Parameter handler: runs on a background thread at the first signal, with its name. A second signal ends the
  ///   program at once.
  init(_ handler: @escaping @Sendable (String) -> Void) {
    let signals = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")]
    sources = signals.map { number, name in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        Self.giveBack()
        handler(name)
      }
      source.activate()
      return source
    }
  }

  func cancel() {
    for source in sources { source.cancel() }
    Self.giveBack()
  }

  private static func giveBack() {
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
}
