import CGatehouseWaits
import GatehouseWaits

/// One value behind one lock: decide inside, act outside.
///
/// Over pthread, because the thread sanitizer on Linux cannot see `Synchronization.Mutex` and reports races in
/// correct code around it. Not recursive: with the wait monitor on, a thread that takes a lock that it holds stops the
/// process with the reason, and without the monitor it waits for ever. While the lock is held, call nothing that is not
/// yours. Usable from any thread.
///
/// `@unchecked`: `value` is touched only while the mutex is held, and `sending` keeps others from holding a part of it.
@safe
public final class Lock<Value>: @unchecked Sendable {
  private let mutex = PthreadMutex()
  /// Unchecked by the runtime: the mutex is what keeps accesses apart.
  @exclusivity(unchecked) private var value: Value
  private let identity: WaitIdentity

  /// Makes a lock around a value.
  ///
  /// - Parameters:
  ///   - value: the first value.
  ///   - file: where the lock is made: its name in the wait monitor's reports.
  ///   - line: see `file`.
  public init(_ value: sending Value, file: StaticString = #fileID, line: UInt = #line) {
    unsafe self.value = value
    identity = WaitIdentity(.lock, file: file, line: line)
  }

  /// Runs `body` alone with the value, on the calling thread, and returns its result. Waits while another thread holds
  /// the lock. Throws what `body` throws.
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    guard gw_is_on() else {
      mutex.lock()
      defer { mutex.unlock() }
      return try unsafe body(&value)
    }
    let thing = identity.thing(in: WaitMonitor.scope)
    // A thread that waits for itself waits for ever: better to end with the reason than to hang without.
    if gw_ask(thing) { fatalError(WaitMonitor.lastWords(thing)) }
    mutex.lock()
    gw_enter(thing)
    gw_asked()
    defer {
      gw_leave(thing.instance)
      mutex.unlock()
    }
    return try unsafe body(&value)
  }
}
