import Glibc
import Synchronization

/// A value that one thread puts down for others. No monitor sees its mutex.
final class Slot<Value: Sendable>: Sendable {
  private let content = Mutex<Value?>(nil)

  func fill(_ value: Value) { content.withLock { $0 = value } }

  /// Waits until it is filled.
  var value: Value {
    while true {
      if let value = content.withLock({ $0 }) { return value }
      usleep(500)
    }
  }
}
