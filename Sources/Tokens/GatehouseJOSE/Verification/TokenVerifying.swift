public import FoundationEssentials
public import GatehouseBase

/// Verifies tokens.
///
/// Verifiers compose: `SingleUseTokenVerifier` takes any, `CachedTokenVerifier` only a `PureTokenVerifying`.
public protocol TokenVerifying: Sendable {
  /// The rules that a token must satisfy, and the clocks.
  var policy: VerificationPolicy { get }

  /// Verifies a token now, by the policy's clocks.
  func verify(_ token: String) async throws(AuthError) -> VerifiedToken

  /// Verifies a token at a moment.
  func verify(_ token: String, at moment: Date) async throws(AuthError) -> VerifiedToken
}

/// Verifies tokens, and its answer may be cached: for one token it changes with `exp`, `nbf`, `iat` and `auth_time`
/// only, as the policy compares them with the clock.
///
/// Verification is synchronous, takes no queue, and has no effect that a second call could miss. A verifier that
/// records a use, or whose keys change, is not pure.
public protocol PureTokenVerifying: TokenVerifying {
  /// A digest of everything that decides what is accepted: keys and rules, without the clocks. Two verifiers with one
  /// identity share cached tokens, so different rules must have different identities.
  var identity: [UInt8] { get throws(AuthError) }

  /// Verifies a token now, by the policy's clocks. Takes no queue.
  func verify(_ token: String) throws(AuthError) -> VerifiedToken

  /// Verifies a token at a moment. Takes no queue.
  func verify(_ token: String, at moment: Date) throws(AuthError) -> VerifiedToken
}

extension PureTokenVerifying {
  /// Verifies a token at the moment that the policy's wall clock shows. Takes no queue.
  public func verify(_ token: String) throws(AuthError) -> VerifiedToken {
    try verify(token, at: Date(wall: policy.clocks.wall))
  }
}

extension TokenVerifier: PureTokenVerifying {}
extension NestedTokenVerifier: PureTokenVerifying {}
