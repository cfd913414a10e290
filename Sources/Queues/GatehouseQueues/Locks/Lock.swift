import CGatehouseWaits
import GatehouseWaits

/// A value protected by a lock: decide inside, act outside.
///
/// Uses pthread, because the thread sanitizer on Linux cannot see `Synchronization.Mutex` and reports races in correct
/// code around it. Not recursive: with the wait monitor on, a thread that takes a lock that it holds stops the process
/// with the reason, and without the monitor it waits forever. While the lock is held, call only your own code. Usable
/// from any thread.
///
/// `@unchecked`: `content` is used only under the mutex, and `sending` keeps others from holding a part of it.
@safe
public final class Lock<Value>: @unchecked Sendable {
  private let mutex = PthreadMutex()
  /// Not checked by the runtime: the mutex prevents simultaneous accesses.
  @exclusivity(unchecked) private var content: LockedValue<Value>
  private let identity: WaitIdentity

  /// Makes a lock around a value.
  ///
  /// - Parameters:
  ///   - value: the initial value.
  ///   - file: the source file that makes the lock, for the wait monitor's reports.
  ///   - line: the line in `file`.
  public init(_ value: sending Value, file: StaticString = #fileID, line: UInt = #line) {
    unsafe content = LockedValue(value)
    identity = WaitIdentity(.lock, file: file, line: line)
  }

  /// Runs `body` with exclusive access to the value, on the calling thread, and returns its result. Waits while another
  /// thread holds the lock. Throws what `body` throws.
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    guard gw_is_on() else {
      mutex.lock()
      defer { mutex.unlock() }
      return try unsafe body(&content.value)
    }
    let thing = identity.thing(in: WaitMonitor.scope)
    // A thread that waits for itself waits forever, so end with the reason instead of hanging without one.
    if gw_ask(thing) { fatalError(WaitMonitor.lastWords(thing)) }
    mutex.lock()
    gw_enter(thing)
    gw_asked()
    defer {
      gw_leave(thing.instance)
      mutex.unlock()
    }
    return try unsafe body(&content.value)
  }
}
