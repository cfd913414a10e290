/// A `Lock` that the wait monitor does not observe: for the monitor itself, and for code that the monitor calls.
///
/// `@unchecked`: `value` is touched only while the mutex is held, and `sending` keeps others from holding a part of it.
@safe
final class UnwatchedLock<Value>: @unchecked Sendable {
  private let mutex = PthreadMutex()
  /// Not checked by the runtime: the mutex prevents simultaneous accesses.
  @exclusivity(unchecked) private var value: Value

  init(_ value: sending Value) { unsafe self.value = value }

  /// Runs `body` with exclusive access to the value.
  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&value)
  }
}
