public import FoundationEssentials
import GatehouseBase

/// Verifies tokens.
///
/// Verifiers compose: `SingleUseTokenVerifier` wraps any, `CachedTokenVerifier` only a `PureTokenVerifying`.
public protocol TokenVerifying: Sendable {
  /// The rules that a token must satisfy, and the clocks.
  var policy: VerificationPolicy { get }

  /// Verifies a token now, by the policy's clocks.
  func verify(_ token: String) async throws -> VerifiedToken

  /// Verifies a token at a moment.
  func verify(_ token: String, at moment: Date) async throws -> VerifiedToken
}

/// Verifies tokens, with results that may be cached: for one token the result changes only with `exp`, `nbf`, `iat` and
/// `auth_time`, as the policy compares them with the clock.
///
/// Verification is synchronous, uses no queue, and has no side effect that a cached result would skip. A verifier that
/// records a use, or whose keys change, is not pure.
public protocol PureTokenVerifying: TokenVerifying {
  /// A digest of everything that determines what is accepted: keys and rules, but not the clocks. Two verifiers with
  /// the same identity share cached tokens, so different rules must have different identities.
  var identity: [UInt8] { get throws }

  /// Verifies a token now, by the policy's clocks. Uses no queue.
  func verify(_ token: String) throws -> VerifiedToken

  /// Verifies a token at a moment. Uses no queue.
  func verify(_ token: String, at moment: Date) throws -> VerifiedToken
}

extension PureTokenVerifying {
  /// Verifies a token at the current time of the policy's wall clock. Uses no queue.
  public func verify(_ token: String) throws -> VerifiedToken {
    try verify(token, at: Date(wall: policy.clocks.wall))
  }
}

extension TokenVerifier: PureTokenVerifying {}
extension NestedTokenVerifier: PureTokenVerifying {}
