package import Dispatch
import Synchronization

/// Keeps slow work off the queues that must stay quick.
///
/// A queue that must stay quick is declared once (`guardQueue`). Code that does slow work (a private-key operation, a
/// password hash, a file or socket call) calls `begins` first; on such a queue that is counted, and stops the
/// process in strict mode.
package enum SlowWork {
  /// The kinds of slow work that are watched.
  package enum Kind: String, Sendable, CaseIterable {
    case privateKey = "a private-key operation"
    case passwordHash = "a password hash"
    case file = "a file call"
    case socket = "a socket call"
  }

  private static let quickQueue = DispatchSpecificKey<String>()
  private static let seen = Atomic<Int>(0)

  /// How often slow work began on a queue that must stay quick, in this process. Must be 0.
  package static var timesSeen: Int { seen.load(ordering: .relaxed) }

  /// Declares that nothing slow may run on a queue, nor on queues that target it.
  package static func guardQueue(_ queue: DispatchQueue) { queue.setSpecific(key: quickQueue, value: queue.label) }

  /// Records that slow work begins on the calling thread.
  package static func begins(_ kind: Kind) {
    guard let label = DispatchQueue.getSpecific(key: quickQueue) else { return }
    seen.add(1, ordering: .relaxed)
    guard StrictMode.isOn else { return }
    fatalError("\(kind.rawValue) began on \(label): move it to a background queue")
  }
}
