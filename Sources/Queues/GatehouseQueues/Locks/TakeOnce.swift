/// A value that can be taken once, from any thread: a closure that must run, and be released, in one place.
package final class TakeOnce<Value: Sendable>: Sendable {
  private let value: Lock<Value?>

  package init(_ value: Value) { self.value = Lock(value) }

  /// The value the first time, `nil` ever after.
  package func take() -> Value? {
    value.withLock { held in
      defer { held = nil }
      return held
    }
  }

  /// The value, left where it is.
  package var current: Value? { value.withLock { $0 } }
}
