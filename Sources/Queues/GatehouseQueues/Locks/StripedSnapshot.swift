import GatehouseBase
import Glibc
import Synchronization

/// A value that many threads read all the time and that is replaced now and then.
///
/// With one lock, the readers on two cores would pass its cache line back and forth. Here each thread reads a stripe
/// with its own lock and its own copy, which it shares with few threads or none. The writer replaces all stripes.
/// Copies of a value share the objects that it refers to, and their reference counts are contended as well. Where that
/// matters, pass a closure that makes each copy anew.
///
/// When `replace` has returned, every thread sees the new value or a later one. While it runs, one thread may see the
/// new value while another still sees the old one; no thread sees an old one after a new one. A task may change
/// threads.
package final class StripedSnapshot<Value: Sendable>: Sendable {
  /// One stripe, on cache lines of its own.
  private struct Stripe: Sendable {
    var value: Value
    var version: UInt64 = 0
    private let room = InlineArray<16, UInt64>(repeating: 0)

    init(_ value: Value) { self.value = value }
  }

  private let stripes: [Lock<Stripe>]
  private let versions = Atomic<UInt64>(0)

  /// - Parameter make: makes the first value; called once for each stripe.
  package init(_ make: () -> Value) {
    stripes = (0..<stripeCount).map { _ in Lock(Stripe(make())) }
  }

  /// The value.
  package var value: Value {
    // Thread identifiers are addresses of large blocks of memory, so their low bits are equal.
    let index = Int(truncatingIfNeeded: (UInt64(pthread_self()) >> 12) &* 0x9E37_79B9_7F4A_7C15 >> 40)
    return stripes[index & (stripes.count - 1)].withLock { $0.value }
  }

  /// Replaces the value. Of two simultaneous calls, the one that began last wins, on all stripes.
  ///
  /// - Parameter make: makes the new value; called once for each stripe.
  package func replace(_ make: () -> Value) {
    let version = versions.add(1, ordering: .relaxed).newValue
    for stripe in stripes {
      let value = make()
      let old: Value? = stripe.withLock { stripe in
        guard version > stripe.version else { return nil }
        defer {
          stripe.value = value
          stripe.version = version
        }
        return stripe.value
      }
      withExtendedLifetime(old) {}  // released outside the lock: this may run a deinit
    }
  }
}

/// A power of two, at least twice as many as there are processors.
private let stripeCount: Int = {
  let processors = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
  var count = 4
  while count < 2 * processors, count < 256 { count *= 2 }
  return count
}()
