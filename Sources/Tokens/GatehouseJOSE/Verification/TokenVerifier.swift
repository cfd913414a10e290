public import FoundationEssentials
import GatehouseBase

/// Verifies tokens against a set of keys and a policy.
///
/// A pure function of its arguments: it uses no queue and no lock, and does not wait. Usable from any thread. Keep and
/// reuse it: its state is set up once for each calling thread, and copies share that state. A token is rejected with
/// one of the codes of this module, of JSON (`jsonMalformed`, …), or with `base64Malformed`. `cryptoFailed` means that
/// OpenSSL failed; the token is rejected then too.
public struct TokenVerifier: Sendable {
  /// The keys for verification.
  public let keys: JWKSet
  /// The rules that a token must satisfy.
  public let policy: VerificationPolicy
  private let desks: Workspaces<Desk>

  /// Makes a verifier. Keep and reuse it: keys are prepared once for each thread.
  public init(keys: JWKSet, policy: VerificationPolicy) {
    self.keys = keys
    self.policy = policy
    desks = Workspaces { () throws(AuthError) in Desk(keys, policy) }
  }

  /// Verifies a token now, by the policy's clock. Returns nothing of it before its signature is verified.
  public func verify(_ token: String) throws -> VerifiedToken {
    try verify(token, at: policy.clocks.wall)
  }

  /// Verifies a token at a moment.
  public func verify(_ token: String, at moment: Date) throws -> VerifiedToken {
    try verify(token, at: moment.wall)
  }

  /// Verifies a token at a moment in seconds since 1970.
  package func verify(_ token: String, at now: Double) throws(AuthError) -> VerifiedToken {
    // The text is passed as a span: otherwise threads that verify the same string would contend for its reference
    // count.
    let text = token.utf8.span
    // A rejected token leaves the desk usable.
    return try desks.withOne(keepsFailed: true) { desk throws(AuthError) in try desk.verify(text, at: now) }
  }

  /// The state for verification, for one thread at a time: threads share no reference-counted object.
  private final class Desk {
    private let limits: TokenLimits
    private let headers: HeaderCheck
    private let rules: ClaimRules
    /// Memory for a signature, with the spare bytes that decoding needs.
    private var room = [UInt8](repeating: 0, count: Base64URL.roomForDecoding(CompactJWS.maximumSignatureLength))

    init(_ keys: JWKSet, _ policy: VerificationPolicy) {
      limits = policy.limits
      headers = HeaderCheck(keys, policy) { header throws(AuthError) in
        try policy.checkType(header)
        try header.refuseExtensions()
      }
      rules = ClaimRules(policy)
    }

    func verify(_ text: Span<UInt8>, at now: Double) throws(AuthError) -> VerifiedToken {
      let parts = try CompactJWS(text, limits: limits)
      let header = try headers.recognize(text.extracting(parts.header))
      let payload = try Base64URL.bytes(of: text.extracting(parts.payload))
      // Swapped out and back, which copies nothing.
      var signature: [UInt8] = []
      swap(&signature, &room)
      defer { swap(&signature, &room) }
      let length = try Base64URL.decode(text.extracting(parts.signature), into: &signature)
      guard try header.check.isValid(signature.span.extracting(..<length), for: text.extracting(parts.signed)) else {
        throw AuthError(.signatureInvalid, "signature verification failed")
      }
      headers.remember(header)
      let claims = try ScannedObject(parsing: payload, limits: limits.json)
      try rules.check(claims, hashedWith: header.hash, by: header.keyIssuer, at: now)
      return VerifiedToken(header.header, claims)
    }
  }
}
