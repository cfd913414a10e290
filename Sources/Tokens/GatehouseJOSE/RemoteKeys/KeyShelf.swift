import GatehouseQueues
import Synchronization

/// The keys at hand: read by all threads without a shared lock, replaced on the work queue.
final class KeyShelf: Sendable {
  private let held = StripedSnapshot<KeySnapshot?> { nil }
  private let losses = Atomic<UInt64>(0)

  /// What was fetched last.
  var snapshot: KeySnapshot? { held.value }

  /// Incremented when a key is removed or replaced, or its use changes.
  var epoch: UInt64 { losses.load(ordering: .acquiring) }

  /// Publishes the keys first and the new epoch second: a reader of the epoch, then the keys, never takes old keys for
  /// new ones.
  func keep(_ kept: FetchedKeys.Kept) {
    held.replace { KeySnapshot(copying: kept.snapshot) }
    if kept.losesKeys { losses.add(1, ordering: .releasing) }
  }
}
