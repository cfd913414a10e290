public import FoundationEssentials
public import GatehouseBase

/// Remembers tokens and proofs that may be used only once.
///
/// One server uses a `MemoryReplayStore`. Several servers share a store of their own; otherwise each accepts a proof
/// once.
/// Called off the work queue, on any thread.
public protocol ReplayStore: Sendable {
  /// Records a use. Returns whether it was the first. Of two simultaneous uses, exactly one is first.
  ///
  /// - Parameters:
  ///   - name: the used token or proof: a SHA-256 digest.
  ///   - expiry: the time until which it must be remembered.
  ///   - now: the time of the use.
  func recordFirstUse(of name: [UInt8], until expiry: Date, at now: Date) async throws(AuthError) -> Bool

  /// Records a use that counts against one share of the store. Returns whether it was the first.
  ///
  /// Whether a name was used does not depend on the share. A store that limits its shares throws `replayShareFull` for
  /// a new name if the share is full. A store without this method has no shares: it records the use, and one client can
  /// fill it for all.
  ///
  /// - Parameters:
  ///   - name: the used token or proof: a SHA-256 digest.
  ///   - share: the share that the use counts against: a SHA-256 digest.
  ///   - expiry: the time until which it must be remembered.
  ///   - now: the time of the use.
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
