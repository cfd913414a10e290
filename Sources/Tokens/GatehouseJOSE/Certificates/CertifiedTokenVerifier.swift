public import FoundationEssentials
public import GatehouseBase
public import GatehouseCrypto

/// Verifies tokens that bring a certificate for their key, `x5c` (RFC 7515 §4.1.6), under roots that the caller pins.
///
/// The one way in which a token leads to its key, and it asks for more than others: the chain must end at one of the
/// roots, at the moment of the verification, for the name and by the rule, and only then is the first certificate's key
/// tried, with an algorithm that the policy takes and that is for keys of its type. `jwk`, `jku` and `x5u` are never
/// looked at. A `TokenVerifier` does not look at `x5c` either. Certificates' times are checked even if the policy's
/// `checksTime` is off; revocation is not checked.
///
/// The chain is verified anew with each token, which takes several signatures' time. A pure function of its arguments:
/// any thread, all at once. Not a `PureTokenVerifying`: the certificates of a chain expire at moments of their own.
public struct CertifiedTokenVerifier: TokenVerifying {
  /// What chains must lead to: self-signed certificates. Never the machine's own.
  public let roots: [X509Certificate]
  /// The DNS name that the first certificate must be for.
  public let name: String?
  /// What the chain must be besides trusted.
  public let rule: CertificateRule
  /// What the token must be. A chain is long: see `TokenLimits.withCertificates`.
  public let policy: VerificationPolicy

  /// Throws `invalidArgument` without roots.
  ///
  /// The App Store's tokens, for example, need Apple's root, no name, and the rule `appStore`.
  ///
  /// - Parameters:
  ///   - roots: the certificates that are trusted.
  ///   - name: the DNS name that the first certificate must have. With `nil` every owner of a certificate under these
  ///     roots can sign: only for roots that certify no other party, or with a rule that tells the parties apart.
  ///   - rule: how long the chain must be, and what its certificates must say of themselves.
  ///   - policy: the rules for header and claims.
  public init(
    roots: [X509Certificate], name: String?, rule: CertificateRule = .none, policy: VerificationPolicy
  ) throws(AuthError) {
    guard !roots.isEmpty else { throw AuthError(.invalidArgument, "at least one root certificate is needed") }
    self.roots = roots
    self.name = name
    self.rule = rule
    self.policy = policy
  }

  /// Verifies a token now, by the policy's clock. Nothing of it is seen before chain and signature are verified.
  public func verify(_ token: String) throws(AuthError) -> VerifiedToken { try verify(token, at: policy.clocks.wall) }

  /// Verifies a token at a moment.
  ///
  /// Besides what `TokenVerifier` throws: `unknownKey` for a token without `x5c`, `certificateInvalid` for one that
  /// holds anything but certificates, `certificateUntrusted` for a chain that does not lead to a root, and what
  /// `X509Certificate.publicKey` says of its key.
  public func verify(_ token: String, at moment: Date) throws(AuthError) -> VerifiedToken {
    try verify(token, at: moment.wall)
  }

  /// Verifies a token at a moment in seconds since 1970.
  package func verify(_ token: String, at now: Double) throws(AuthError) -> VerifiedToken {
    let header = try header(of: token)
    // A cheap check, before the chain's signatures are verified.
    guard let algorithm = JWSAlgorithm(exactly: header.algorithm), policy.algorithms.contains(algorithm) else {
      throw AuthError(.algorithmRefused, "the token's `alg` is not accepted by the policy")
    }
    guard let list = header["x5c"] else { throw AuthError(.unknownKey, "`x5c` is missing") }
    let first = try CertificateChain.verify(
      X509Certificate.chain(x5c: list), roots: roots, at: now, name: name, rule: rule)
    try checkFingerprint(header, of: first)
    // From here on it is a key like any other: the only one of its set, with the token's `kid`, and refused for
    // algorithms of other key types.
    let keys = try JWKSet([JWK(.publicKey(first.publicKey), keyID: header.keyID, algorithm: algorithm)])
    return try TokenVerifier(keys: keys, policy: policy).verify(token, at: now)
  }

  private func header(of token: String) throws(AuthError) -> TokenHeader {
    let text = token.utf8.span
    let parts = try CompactJWS(text, limits: policy.limits)
    let bytes = try Base64URL.decode(text.extracting(parts.header))
    return try TokenHeader(JSONObject(parsing: bytes, limits: policy.limits.json))
  }

  /// `x5t#S256`, where the header has it, is of the first certificate (RFC 7515 §4.1.8).
  private func checkFingerprint(_ header: TokenHeader, of certificate: X509Certificate) throws(AuthError) {
    guard let stated = header["x5t#S256"] else { return }
    guard stated.string?.isExactly(Base64URL.encode(certificate.sha256Fingerprint)) == true else {
      throw AuthError(.headerInvalid, "`x5t#S256` does not match the certificate")
    }
  }
}
