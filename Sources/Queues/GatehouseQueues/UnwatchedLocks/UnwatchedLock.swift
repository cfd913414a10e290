/// A `Lock` that the wait monitor does not observe: for the monitor itself, and for code that the monitor calls.
///
/// `@unchecked`: `content` is used only under the mutex, and `sending` keeps others from holding a part of it.
@safe
final class UnwatchedLock<Value>: @unchecked Sendable {
  private let mutex = PthreadMutex()
  /// Not checked by the runtime: the mutex prevents simultaneous accesses.
  @exclusivity(unchecked) private var content: LockedValue<Value>

  init(_ value: sending Value) { unsafe content = LockedValue(value) }

  /// Runs `body` with exclusive access to the value.
  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&content.value)
  }
}
