import Glibc
import Synchronization

/// The thread that is in a place where one thread at a time can be.
final class Holder: Sendable {
  private let thread = Atomic<UInt>(0)
  private static var this: UInt { UInt(pthread_self()) }

  var isThisThread: Bool { thread.load(ordering: .sequentiallyConsistent) == Self.this }
  func enter() { thread.store(Self.this, ordering: .sequentiallyConsistent) }
  func leave() { thread.store(0, ordering: .sequentiallyConsistent) }
}
