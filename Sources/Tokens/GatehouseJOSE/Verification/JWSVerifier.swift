import GatehouseBase

/// Verifies signed messages (JWS, RFC 7515) whose payload may be any bytes: signature and header, but no claims.
///
/// For tokens use a `TokenVerifier`: what this type accepts may be expired or meant for another audience. Of the
/// policy, it uses only the algorithms, `requiresKeyID` and the limits. Pure, uses no queue; usable from any thread.
/// Keep and reuse it, like a `TokenVerifier`.
public struct JWSVerifier: Sendable {
  /// The keys for verification.
  public let keys: JWKSet
  /// The policy, of which only algorithms, `requiresKeyID` and limits are used.
  public let policy: VerificationPolicy
  private let desks: Workspaces<HeaderCheck>

  /// Makes a verifier. Keep and reuse it: keys are prepared once for each thread.
  public init(keys: JWKSet, policy: VerificationPolicy) {
    self.keys = keys
    self.policy = policy
    desks = Workspaces { () throws(AuthError) in
      HeaderCheck(keys, policy) { header throws(AuthError) in try header.checkCriticalMembers() }
    }
  }

  /// Makes a verifier that accepts these algorithms.
  public init(keys: JWKSet, algorithms: Set<JWSAlgorithm>) {
    self.init(keys: keys, policy: VerificationPolicy(algorithms: algorithms))
  }

  /// Verifies a message in compact form that contains its payload.
  public func verify(_ message: String) throws -> VerifiedMessage {
    let text = message.utf8.span
    let parts = try CompactJWS(text, limits: policy.limits)
    return try withHeaders { headers throws(AuthError) in
      let header = try headers.recognize(text.extracting(parts.header))
      let spelled = text.extracting(parts.payload)
      let payload = try header.header.isUnencoded ? [UInt8](copying: spelled) : Base64URL.bytes(of: spelled)
      let signature = try Base64URL.bytes(of: text.extracting(parts.signature))
      try headers.check(signature, under: header, for: text.extracting(parts.signed))
      return VerifiedMessage(header: header.header, payload: payload)
    }
  }

  /// Verifies a message in compact form with a detached payload (RFC 7515 appendix F): nothing is between the dots.
  public func verify(_ message: String, detachedPayload payload: [UInt8]) throws -> VerifiedMessage {
    let text = message.utf8.span
    let parts = try CompactJWS(text, limits: policy.limits)
    guard parts.payload.isEmpty else {
      throw AuthError(.tokenMalformed, "the message has a payload, and a detached one was passed")
    }
    return try withHeaders { headers throws(AuthError) in
      let header = try headers.recognize(text.extracting(parts.header))
      let signature = try Base64URL.bytes(of: text.extracting(parts.signature))
      var signed = [UInt8](copying: text.extracting(0..<parts.payload.lowerBound))
      header.header.append(payload, to: &signed)
      try headers.check(signature, under: header, for: signed.span)
      return VerifiedMessage(header: header.header, payload: payload)
    }
  }

  /// Passes the calling thread's header check to a closure.
  func withHeaders<Result>(_ work: (HeaderCheck) throws(AuthError) -> Result) throws(AuthError) -> Result {
    try desks.withOne(keepsFailed: true, work)
  }
}

/// A message that a `JWSVerifier` has verified: the owner of the key signed these bytes with this header.
public struct VerifiedMessage: Sendable {
  /// The protected header.
  public let header: TokenHeader
  /// The payload, decoded.
  public let payload: [UInt8]
}

extension VerifiedMessage: CustomStringConvertible, CustomReflectable {
  private var summary: TokenSummary { TokenSummary("VerifiedMessage", "payload", payload.count, header) }
  /// The length of the payload, the algorithm, the key ID and the type: never the payload.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}

extension HeaderCheck {
  /// Checks a signature, and caches its header if the signature is valid.
  func check(
    _ signature: [UInt8], under header: RecognizedHeader, for message: Span<UInt8>
  ) throws(AuthError) {
    guard try header.check.isValid(signature.span, for: message) else {
      throw AuthError(.signatureInvalid, "signature verification failed")
    }
    remember(header)
  }
}

extension TokenHeader {
  /// Appends a payload to the signed bytes, encoded as the header says.
  func append(_ payload: [UInt8], to signed: inout [UInt8]) {
    if isUnencoded { signed.append(contentsOf: payload) } else { Base64URL.append(payload.span, to: &signed) }
  }
}
