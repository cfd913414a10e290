package import Dispatch
import Synchronization

/// Keeps slow work off queues that must stay quick.
///
/// Such a queue is declared once (`guardQueue`). Code that does slow work (a private-key operation, a password hash, a
/// file or socket call) calls `begins` first; on such a queue the call is counted, and in strict mode it stops the
/// process.
package enum SlowWork {
  /// The monitored kinds of slow work.
  package enum Kind: String, Sendable, CaseIterable {
    case privateKey = "a private-key operation"
    case passwordHash = "a password hash"
    case file = "a file call"
    case socket = "a socket call"
  }

  private static let quickQueue = DispatchSpecificKey<String>()
  private static let seen = Atomic<Int>(0)

  /// The number of times that slow work began on a queue that must stay quick, in this process. Must be 0.
  package static var timesSeen: Int { seen.load(ordering: .relaxed) }

  /// Declares that no slow work may run on a queue or on queues that target it.
  package static func guardQueue(_ queue: DispatchQueue) { queue.setSpecific(key: quickQueue, value: queue.label) }

  /// Records that slow work is beginning on the calling thread.
  package static func begins(_ kind: Kind) {
    guard let label = DispatchQueue.getSpecific(key: quickQueue) else { return }
    seen.add(1, ordering: .relaxed)
    guard StrictMode.isOn else { return }
    fatalError("\(kind.rawValue) began on \(label): move it to a background queue")
  }
}
