import Glibc
import Synchronization

/// Something that has happened, or not yet. Made of atomics: no monitor sees a wait for it.
final class Event: Sendable {
  private let missing: Atomic<Int>

  /// It has happened when `happen` was called this often.
  init(times: Int = 1) { missing = Atomic(times) }

  func happen() { missing.subtract(1, ordering: .sequentiallyConsistent) }

  func wait() {
    while missing.load(ordering: .sequentiallyConsistent) > 0 { usleep(500) }
  }
}
