public import GatehouseBase
import GatehouseCrypto

/// Verifies tokens against a set of keys and a policy.
///
/// A pure function of its arguments, without a lock and without waiting: call it on any thread, all at once. The
/// token is refused with one of the codes of this module, of JSON's (`jsonMalformed`, …), or with `base64Malformed`;
/// `cryptoFailed` means that OpenSSL could not tell, and that the token is refused as well.
public struct TokenVerifier: Sendable {
  public let keys: JWKSet
  public let policy: VerificationPolicy

  public init(keys: JWKSet, policy: VerificationPolicy) {
    self.keys = keys
    self.policy = policy
  }

  /// Verifies a token at a moment, in seconds since 1970. Nothing of it is seen before its signature is verified.
  public func verify(_ token: String, at now: Double) throws(AuthError) -> VerifiedToken {
    let parts = try CompactJWS(token, limits: policy.limits)
    try policy.checkType(parts.header)
    try verifySignature(parts)
    let claims = try JSONObject(parsing: parts.payload)
    try policy.check(ClaimSet(claims: claims), at: now)
    return VerifiedToken(header: parts.header, claims: claims)
  }

  /// Verifies signature and header only, and gives the payload, which may be any bytes: for what is signed and is
  /// no token with claims.
  public func verifySignature(_ token: String) throws(AuthError) -> [UInt8] {
    let parts = try CompactJWS(token, limits: policy.limits)
    try verifySignature(parts)
    return parts.payload
  }

  private func verifySignature(_ parts: CompactJWS) throws(AuthError) {
    let header = parts.header
    try header.refuseExtensions()
    guard let algorithm = JWSAlgorithm(rawValue: header.algorithm), policy.algorithms.contains(algorithm) else {
      throw AuthError(.algorithmRefused, "the token's algorithm is not among those that are accepted")
    }
    guard header.keyID != nil || !policy.requiresKeyID else {
      throw AuthError(.unknownKey, "the token does not say which key signed it")
    }
    let key = try keys.key(named: header.keyID)
    guard key.verifies(algorithm) else {
      throw AuthError(.algorithmRefused, "the token's algorithm is not the one that its key is for")
    }
    guard try key.key.isValid(parts.signature, for: parts.signedBytes, with: algorithm) else {
      throw AuthError(.signatureInvalid, "the token's signature is not its key's")
    }
  }
}

extension JWK.Key {
  /// Whether this is the signature of a message; only ever by the algorithm that the key is for.
  fileprivate func isValid(
    _ signature: [UInt8], for message: [UInt8], with algorithm: JWSAlgorithm
  ) throws(AuthError) -> Bool {
    switch (self, algorithm.signature) {
    case (.symmetric(let key), nil): try key.isValid(signature, for: message)
    case (.publicKey(let key), let way?): try key.isValid(signature, for: message, with: way)
    default: false
    }
  }
}
