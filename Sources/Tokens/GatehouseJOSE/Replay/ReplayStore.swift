public import FoundationEssentials
public import GatehouseBase

/// Remembers what may be used once.
///
/// One server keeps a `MemoryReplayStore`; several share a store of their own, or a proof is good once with each.
/// Called off the work queue, on any thread.
public protocol ReplayStore: Sendable {
  /// Records a use, and answers whether it was the first. Two uses at once have one first.
  ///
  /// - Parameters:
  ///   - name: what is used: a SHA-256 digest.
  ///   - expiry: until when it must be remembered.
  ///   - now: the moment of the use.
  func recordFirstUse(of name: [UInt8], until expiry: Date, at now: Date) async throws(AuthError) -> Bool

  /// Records a use that counts against one share of the store, and answers whether it was the first.
  ///
  /// Whether a name was used does not depend on the share. A store that limits its shares throws `replayShareFull` for
  /// a new name when the share is full. A store without this method has no shares: it records the use, and one client
  /// can fill it for all.
  ///
  /// - Parameters:
  ///   - name: what is used: a SHA-256 digest.
  ///   - share: whose share the use counts against: a SHA-256 digest.
  ///   - expiry: until when it must be remembered.
  ///   - now: the moment of the use.
  func recordFirstUse(
    of name: [UInt8], share: [UInt8], until expiry: Date, at now: Date
  ) async throws(AuthError) -> Bool
}

extension ReplayStore {
  /// Records the use without a share.
  public func recordFirstUse(
    of name: [UInt8], share: [UInt8], until expiry: Date, at now: Date
  ) async throws(AuthError) -> Bool {
    try await recordFirstUse(of: name, until: expiry, at: now)
  }
}
