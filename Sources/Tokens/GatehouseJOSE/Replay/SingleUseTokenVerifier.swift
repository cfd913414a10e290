public import Dispatch
public import Foundation
public import GatehouseBase
import GatehouseCrypto
import GatehouseQueues

/// Verifies tokens that may each be used once.
///
/// A token is identified by its issuer and `jti`, or without a `jti` by the digest of its header and its claims: not of
/// the signature, because ECDSA has two valid ones for each, and not of an encryption around it. Tokens without `exp` are rejected, because they could never be
/// forgotten. Expired tokens are rejected too, whatever the policy says about times, because they are forgotten.
public struct SingleUseTokenVerifier: TokenVerifying {
  /// Verifies the token before its use is recorded.
  public let verifier: any TokenVerifying
  /// The verifier's policy.
  public var policy: VerificationPolicy { verifier.policy }
  private let replays: any ReplayStore
  private let completions: Completions

  /// Makes a verifier that accepts each token once.
  ///
  /// - Parameters:
  ///   - verifier: verifies the token first; any verifier except a single-use one makes sense.
  ///   - replays: records the uses. Use one store for all servers, or each accepts a token once.
  ///   - callbackQueue: the queue on which completions without an isolation of their own are called.
  public init(verifier: any TokenVerifying, replays: any ReplayStore, callbackQueue: DispatchQueue = .main) {
    self.verifier = verifier
    self.replays = replays
    completions = Completions(on: callbackQueue)
  }

  /// Verifies a token now, and records its use. Uses no queue; the store is called off the caller's executor.
  ///
  /// Throws `tokenReplayed` the second time, `claimInvalid` for a token without `exp`, and the errors of the verifier
  /// and the store.
  @concurrent
  public func verify(_ token: String) async throws -> VerifiedToken {
    try await verify(token, at: Date(wall: policy.clocks.now().wall))
  }

  /// `verify(_:)` with a completion. It begins on the work queue, in call order, runs in the background, and calls its
  /// completion exactly once.
  public func verify(
    _ token: String,
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<VerifiedToken, AuthError>) -> Void
  ) {
    completions.deliver(to: completion) { [self] () async throws(AuthError) in
      try await typed { try await verify(token) }
    }
  }

  /// Verifies a token at a moment in seconds since 1970, and records its use.
  @concurrent
  package func verify(_ token: String, at now: Double) async throws(AuthError) -> VerifiedToken {
    try await typed { try await verify(token, at: Date(wall: now)) }
  }

  /// Verifies a token at a moment, and records its use.
  @concurrent
  public func verify(_ token: String, at moment: Date) async throws -> VerifiedToken {
    let verified = try await verifier.verify(token, at: moment)
    guard let expiry = verified.seconds("exp") else {
      throw AuthError(.claimInvalid, "`exp` is missing: single-use tokens must expire")
    }
    let end = expiry + policy.leeway.inSeconds
    guard moment.wall < end else { throw AuthError.tokenExpired(at: expiry, now: moment.wall) }
    guard try await replays.recordFirstUse(of: Self.name(of: verified), until: Date(wall: end), at: moment)
    else {
      throw AuthError(.tokenReplayed, "the token was already used")
    }
    return verified
  }

  private static func name(of verified: VerifiedToken) throws(AuthError) -> [UInt8] {
    let names: JSONValue =
      if let tokenID = verified.tokenID {
        [.string("jti"), verified["iss"] ?? .null, .string(tokenID)]
      } else {
        [.string("signed"), .object(verified.header.members), .string(Base64URL.encode(verified.payload.text))]
      }
    return try HashAlgorithm.sha256.digest(of: names.serialized())
  }
}
