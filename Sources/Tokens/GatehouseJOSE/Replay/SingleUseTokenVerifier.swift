public import GatehouseBase
import GatehouseCrypto

/// Verifies tokens of which each may be used once.
///
/// A token is known by its issuer and `jti`, or without one by the digest of what was signed: not of the signature, of
/// which ECDSA has two good ones for each. Tokens without `exp` are refused, because they could never be forgotten, and
/// those that are over, whatever the policy says of times, because they are forgotten.
public struct SingleUseTokenVerifier: Sendable {
  public let verifier: TokenVerifier
  private let replays: any ReplayStore

  public init(verifier: TokenVerifier, replays: any ReplayStore) {
    self.verifier = verifier
    self.replays = replays
  }

  /// Verifies a token now, and records its use; the second time it is `tokenReplayed`.
  @concurrent
  public func verify(_ token: String) async throws(AuthError) -> VerifiedToken {
    try await verify(token, at: verifier.policy.clocks.now().wall)
  }

  /// Verifies a token at a moment, in seconds since 1970, and records its use.
  @concurrent
  public func verify(_ token: String, at now: Double) async throws(AuthError) -> VerifiedToken {
    let verified = try verifier.verify(token, at: now)
    guard let expiry = verified.expiry else {
      throw AuthError(.claimInvalid, "`exp` is missing: single-use tokens must expire")
    }
    let end = expiry + verifier.policy.leeway
    guard now < end else { throw AuthError(.tokenExpired, "the token has expired") }
    guard try await replays.recordFirstUse(of: Self.name(of: verified, token), until: end, at: now) else {
      throw AuthError(.tokenReplayed, "the token was already used")
    }
    return verified
  }

  private static func name(of verified: VerifiedToken, _ token: String) throws(AuthError) -> [UInt8] {
    guard let tokenID = verified.tokenID else {
      let signed = token.utf8.lastIndex(of: UInt8(ascii: ".")).map { token.utf8[..<$0] } ?? token.utf8[...]
      return try HashAlgorithm.sha256.hash(Array(signed))
    }
    let names: JSONValue = [.string("jti"), verified["iss"] ?? .null, .string(tokenID)]
    return try HashAlgorithm.sha256.hash(names.serialized())
  }
}
