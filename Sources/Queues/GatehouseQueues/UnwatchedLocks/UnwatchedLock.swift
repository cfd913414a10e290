/// A `Lock` that the wait monitor does not see: for the monitor itself, and for what the monitor calls.
///
/// `@unchecked`: `value` is touched only while the mutex is held, and `sending` keeps others from holding a part of it.
@safe
final class UnwatchedLock<Value>: @unchecked Sendable {
  private let mutex = PthreadMutex()
  /// Unchecked by the runtime: the mutex is what keeps accesses apart.
  @exclusivity(unchecked) private var value: Value

  init(_ value: sending Value) { unsafe self.value = value }

  /// Runs `body` alone with the value.
  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&value)
  }
}
