import GatehouseQueues
import Synchronization

/// The stored keys: read by all threads without a shared lock, replaced on the work queue.
final class KeyShelf: Sendable {
  private let held = StripedSnapshot<KeySnapshot?> { nil }
  private let losses = Atomic<UInt64>(0)

  /// The keys of the last fetch.
  var snapshot: KeySnapshot? { held.value }

  /// Incremented when a key is removed or replaced, or its use changes.
  var epoch: UInt64 { losses.load(ordering: .acquiring) }

  /// Publishes the keys first and the new epoch second. So a thread that reads the epoch first, and then the keys,
  /// never mistakes old keys for new ones.
  func keep(_ kept: FetchedKeys.Kept) {
    held.replace { KeySnapshot(copying: kept.snapshot) }
    if kept.losesKeys { losses.add(1, ordering: .releasing) }
  }
}
