import Dispatch
import Glibc

/// Handles signals that would otherwise terminate the program.
///
/// A signal that arrives after `init` has returned is handled, regardless of the machine's load.
///
/// `@unchecked`: Dispatch's sources may be used from any thread; on Linux their protocol does not declare that.
package final class SignalWatch: @unchecked Sendable {
  private let signals: [Signal]
  private let sources: [any DispatchSourceSignal]

  /// - Parameter handler: runs on a background thread at each signal.
  package init(_ signals: [Signal], _ handler: @escaping @Sendable (Signal) -> Void) {
    self.signals = signals
    // Dispatch takes a signal over some time after the source's activation. A program that ignores the signal
    // meanwhile, as is often advised, loses it.
    let ready = DispatchSemaphore(value: 0)
    sources = signals.map { signal in
      let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: .global())
      source.setEventHandler { handler(signal) }
      source.setRegistrationHandler { ready.signal() }
      source.activate()
      return source
    }
    for _ in sources { ready.wait() }
  }

  /// Restores the signals' default actions. Must not be called by the handler.
  ///
  /// A signal that has arrived may be lost if its handler has not started: call this only when the program ends anyway.
  /// `SignalPipe` loses none.
  package func cancel() {
    // Dispatch also gives a signal back some time later: one that arrives meanwhile would be lost.
    let done = DispatchSemaphore(value: 0)
    for source in sources {
      source.setCancelHandler { done.signal() }
      source.cancel()
    }
    for _ in sources { done.wait() }
    for signal in signals { Glibc.signal(signal.rawValue, SIG_DFL) }
  }
}
