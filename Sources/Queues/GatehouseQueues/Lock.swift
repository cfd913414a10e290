import CGatehouseWaits
import GatehouseWaits
import Glibc

/// One value behind one lock: decide inside, act outside.
///
/// Over pthread, because the thread sanitizer on Linux cannot see `Synchronization.Mutex` and reports races in
/// correct code around it. Not recursive. While it is held, call nothing that is not yours.
///
/// `@unchecked`: `value` is touched only while the mutex is held, and `sending` keeps others from holding a part of it.
@safe
public final class Lock<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// Unchecked by the runtime: the mutex is what keeps accesses apart.
  @exclusivity(unchecked) private var value: Value
  private let identity: WaitIdentity
  private let isWatched: Bool

  public convenience init(_ value: sending Value, file: StaticString = #fileID, line: UInt = #line) {
    self.init(value, isWatched: true, file, line)
  }

  /// For the wait monitor itself.
  convenience init(unwatched value: sending Value, file: StaticString = #fileID, line: UInt = #line) {
    self.init(value, isWatched: false, file, line)
  }

  private init(_ value: sending Value, isWatched: Bool, _ file: StaticString, _ line: UInt) {
    unsafe self.value = value
    self.isWatched = isWatched
    identity = WaitIdentity(.lock, file: file, line: line)
    unsafe mutex = .allocate(capacity: 1)
    let failure = unsafe pthread_mutex_init(mutex, nil)
    precondition(failure == 0, "a mutex could not be made: error \(failure)")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` alone with the value.
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    guard gw_is_on(), isWatched else {
      unsafe pthread_mutex_lock(mutex)
      defer { unsafe pthread_mutex_unlock(mutex) }
      return try unsafe body(&value)
    }
    let thing = identity.thing(in: WaitMonitor.scope)
    // A thread that waits for itself waits for ever: better to end with the reason than to hang without.
    if gw_ask(thing) { fatalError(WaitMonitor.lastWords(thing)) }
    unsafe pthread_mutex_lock(mutex)
    gw_enter(thing)
    gw_asked()
    defer {
      gw_leave(thing.instance)
      unsafe pthread_mutex_unlock(mutex)
    }
    return try unsafe body(&value)
  }
}

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
