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
}
