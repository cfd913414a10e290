/// A value that can be taken once, from any thread: a closure that must run, and be released, in one place.
package final class TakeOnce<Value: Sendable>: Sendable {
  private let value: Lock<Value?>

  package init(_ value: Value) { self.value = Lock(value) }

  /// Returns the value the first time, and `nil` after that.
  package func take() -> Value? {
    value.withLock { held in
      defer { held = nil }
      return held
    }
  }

  /// The value, which is not taken.
  package var current: Value? { value.withLock { $0 } }
}
