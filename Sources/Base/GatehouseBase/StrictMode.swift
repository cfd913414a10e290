import Foundation
import Synchronization

/// Controls whether a violation of a threading rule stops the process. For tests; off unless `GATEHOUSE_STRICT=1` or
/// `turnOn()`.
public enum StrictMode {
  private static let state = Atomic<Bool>(ProcessInfo.processInfo.environment["GATEHOUSE_STRICT"] == "1")

  /// Whether strict mode is on. Usable from any thread.
  public static var isOn: Bool { state.load(ordering: .relaxed) }

  /// Turns strict mode off, for tests of the behavior without it.
  package static func turnOff() { state.store(false, ordering: .relaxed) }

  /// Turns strict mode on: a synchronous call from the work queue, or slow work on it, stops the process with advice.
  public static func turnOn() { state.store(true, ordering: .relaxed) }
}
