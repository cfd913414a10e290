public import GatehouseBase

/// Verifies tokens against a set of keys and a policy.
///
/// A pure function of its arguments, without a lock and without waiting: call it on any thread, all at once. Keep it: it
/// remembers what it has made ready, and copies of it share that. The token is refused with one of the codes of this
/// module, of JSON's (`jsonMalformed`, …), or with `base64Malformed`; `cryptoFailed` means that OpenSSL could not tell,
/// and that the token is refused as well.
public struct TokenVerifier: Sendable {
  public let keys: JWKSet
  public let policy: VerificationPolicy
  private let headers: HeaderCheck

  public init(keys: JWKSet, policy: VerificationPolicy) {
    self.keys = keys
    self.policy = policy
    headers = HeaderCheck(keys, policy) { header throws(AuthError) in
      try policy.checkType(header)
      try header.refuseExtensions()
    }
  }

  /// Verifies a token now, by the policy's clock. Nothing of it is seen before its signature is verified.
  public func verify(_ token: String) throws(AuthError) -> VerifiedToken {
    try verify(token, at: policy.clocks.now().wall)
  }

  /// Verifies a token at a moment, in seconds since 1970.
  public func verify(_ token: String, at now: Double) throws(AuthError) -> VerifiedToken {
    let text = token.utf8.span
    let parts = try CompactJWS(text, limits: policy.limits)
    let header = try headers.recognise(text.extracting(parts.header))
    let payload = try Base64URL.decode(text.extracting(parts.payload))
    let signature = try Base64URL.decode(text.extracting(parts.signature))
    guard try header.check.isValid(signature.span, for: text.extracting(parts.signed)) else {
      throw AuthError(.signatureInvalid, "the token's signature is not its key's")
    }
    headers.remember(header)
    let claims = try ScannedObject(parsing: payload, limits: policy.limits.json)
    try policy.check(claims, at: now)
    return VerifiedToken(header, claims)
  }
}
