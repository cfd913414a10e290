import Foundation
package import GatehouseQueues

/// The threads that hash passwords. They are courteous, so that many sign-ins at once do not delay users who are already
/// signed in.
package enum HashThreads {
  /// For hashes of ours, and for others that cost about as much: one thread per processor, because each hash needs its
  /// memory.
  package static let ordinary = BackgroundQueue(
    label: "gatehouse.scrypt", width: ProcessInfo.processInfo.activeProcessorCount, isCourteous: true)

  /// For other systems' hashes that cost much more than ours: one at a time in the process, so that it needs the memory
  /// of one, and no hash of ours waits for them.
  package static let costly = BackgroundQueue(label: "gatehouse.costly-hash", width: 1, isCourteous: true)
}
