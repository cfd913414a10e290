import Dispatch
import Glibc

/// Handles signals that would otherwise end the program.
///
/// A signal that comes after `init` has returned is handled, however busy the machine is.
///
/// `@unchecked`: Dispatch's sources may be used from any thread; on Linux their protocol does not say so.
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
  /// A signal that has come may be lost if its handler has not begun: call this when the program ends anyway.
  /// `SignalPipe` loses none.
  package func cancel() {
    // Dispatch gives a signal back over some time, too: one that came meanwhile would be lost.
    let done = DispatchSemaphore(value: 0)
    for source in sources {
      source.setCancelHandler { done.signal() }
      source.cancel()
    }
    for _ in sources { done.wait() }
    for signal in signals { Glibc.signal(signal.rawValue, SIG_DFL) }
  }
}
