public import GatehouseBase

/// Verifies signed messages (JWS, RFC 7515) whose payload may be any bytes: signature and header, and no claims.
///
/// For tokens take a `TokenVerifier`: what this accepts may be expired or meant for another audience. Of the policy
/// only the algorithms, `requiresKeyID` and the limits count. Pure, takes no queue; any thread, all at once. Keep it,
/// like a `TokenVerifier`.
public struct JWSVerifier: Sendable {
  /// The keys to verify with.
  public let keys: JWKSet
  /// The policy; only algorithms, `requiresKeyID` and limits count.
  public let policy: VerificationPolicy
  private let desks: Workspaces<HeaderCheck>

  /// A verifier. Keep it: keys are prepared once for each thread.
  public init(keys: JWKSet, policy: VerificationPolicy) {
    self.keys = keys
    self.policy = policy
    desks = Workspaces { () throws(AuthError) in
      HeaderCheck(keys, policy) { header throws(AuthError) in try header.checkCriticalMembers() }
    }
  }

  /// A verifier that accepts these algorithms.
  public init(keys: JWKSet, algorithms: Set<JWSAlgorithm>) {
    self.init(keys: keys, policy: VerificationPolicy(algorithms: algorithms))
  }

  /// Verifies a message in compact form, which carries its payload.
  public func verify(_ message: String) throws(AuthError) -> VerifiedMessage {
    let text = message.utf8.span
    let parts = try CompactJWS(text, limits: policy.limits)
    return try withHeaders { headers throws(AuthError) in
      let header = try headers.recognize(text.extracting(parts.header))
      let spelled = text.extracting(parts.payload)
      let payload = try header.header.isUnencoded ? [UInt8](copying: spelled) : Base64URL.decode(spelled)
      let signature = try Base64URL.decode(text.extracting(parts.signature))
      try headers.check(signature, under: header, for: text.extracting(parts.signed))
      return VerifiedMessage(header: header.header, payload: payload)
    }
  }

  /// Verifies a message in compact form with a detached payload (RFC 7515 appendix F): nothing is between the dots.
  public func verify(_ message: String, detachedPayload payload: [UInt8]) throws(AuthError) -> VerifiedMessage {
    let text = message.utf8.span
    let parts = try CompactJWS(text, limits: policy.limits)
    guard parts.payload.isEmpty else {
      throw AuthError(.tokenMalformed, "the message has a payload, and a detached one was passed")
    }
    return try withHeaders { headers throws(AuthError) in
      let header = try headers.recognize(text.extracting(parts.header))
      let signature = try Base64URL.decode(text.extracting(parts.signature))
      var signed = [UInt8](copying: text.extracting(0..<parts.payload.lowerBound))
      header.header.append(payload, to: &signed)
      try headers.check(signature, under: header, for: signed.span)
      return VerifiedMessage(header: header.header, payload: payload)
    }
  }

  /// Lends the header check of the calling thread.
  func withHeaders<Result>(_ work: (HeaderCheck) throws(AuthError) -> Result) throws(AuthError) -> Result {
    try desks.withOne(keepsFailed: true, work)
  }
}

/// A message that a `JWSVerifier` has verified: the owner of the key signed these bytes under this header.
public struct VerifiedMessage: Sendable {
  /// The protected header.
  public let header: TokenHeader
  /// The payload, decoded.
  public let payload: [UInt8]
}

extension VerifiedMessage: CustomStringConvertible, CustomReflectable {
  private var summary: TokenSummary { TokenSummary("VerifiedMessage", "payload", payload.count, header) }
  /// The length of the payload, the algorithm, the key's name and the type: never the payload.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}

extension HeaderCheck {
  /// Checks a signature, and remembers its header if it is good.
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
  /// Adds a payload to what is signed, as the header says that it is spelled there.
  func append(_ payload: [UInt8], to signed: inout [UInt8]) {
    if isUnencoded { signed.append(contentsOf: payload) } else { Base64URL.append(payload.span, to: &signed) }
  }
}
