public import FoundationEssentials
import GatehouseBase
public import GatehouseCrypto

/// Verifies tokens that contain a certificate for their key, `x5c` (RFC 7515 §4.1.6), under roots that the caller pins.
///
/// This is the only verifier that takes the key from the token, and it requires more than others. The chain must end at
/// one of the roots, at the time of the verification, for the name and by the rule. Only then is the first
/// certificate's key tried, with an algorithm that the policy accepts and that is for keys of its type. `jwk`, `jku`
/// and `x5u` are always ignored; a `TokenVerifier` also ignores `x5c`. Certificates' times are checked even if the
/// policy's `checksTime` is off; revocation is not checked.
///
/// The chain is verified anew for each token, which takes as long as several signatures. A pure function of its
/// arguments, usable from any thread. Not a `PureTokenVerifying`: the certificates of a chain expire at different
/// times.
public struct CertifiedTokenVerifier: TokenVerifying {
  /// The trusted roots of chains: self-signed certificates. The machine's own are never used.
  public let roots: [X509Certificate]
  /// The DNS name that the first certificate must be for.
  public let name: String?
  /// Further requirements for the chain besides trust.
  public let rule: CertificateRule
  /// The requirements for the token. A chain is long: see `TokenLimits.withCertificates`.
  public let policy: VerificationPolicy

  /// Makes a verifier. Throws `invalidArgument` without roots.
  ///
  /// The App Store's tokens, for example, need Apple's root, no name, and the rule `appStore`.
  ///
  /// - Parameters:
  ///   - roots: the trusted certificates.
  ///   - name: the DNS name that the first certificate must have. With `nil` every owner of a certificate under these
  ///     roots can sign. So use it only for roots that certify no other party, or with a rule that distinguishes the
  ///     parties.
  ///   - rule: the length of the chain, and what its certificates must state about themselves.
  ///   - policy: the rules for header and claims.
  public init(
    roots: [X509Certificate], name: String?, rule: CertificateRule = .none, policy: VerificationPolicy
  ) throws {
    guard !roots.isEmpty else { throw AuthError(.invalidArgument, "at least one root certificate is needed") }
    self.roots = roots
    self.name = name
    self.rule = rule
    self.policy = policy
  }

  /// Verifies a token now, by the policy's clock. Returns nothing of it before chain and signature are verified.
  public func verify(_ token: String) throws -> VerifiedToken { try verify(token, at: policy.clocks.wall) }

  /// Verifies a token at a moment.
  ///
  /// Besides the errors of `TokenVerifier`, throws `unknownKey` for a token without `x5c`, `certificateInvalid` if it
  /// contains anything but certificates, `certificateUntrusted` for a chain that does not lead to a root, and the
  /// errors of `X509Certificate.publicKey`.
  public func verify(_ token: String, at moment: Date) throws -> VerifiedToken {
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
      typed { try X509Certificate.chain(x5c: list) }, roots: roots, at: now, name: name, rule: rule)
    try checkFingerprint(header, of: first)
    // From here on it is an ordinary key: the only one of its set, with the token's `kid`. It is rejected for
    // algorithms of other key types.
    let keys = try typed { try JWKSet([JWK(.publicKey(first.publicKey), keyID: header.keyID, algorithm: algorithm)]) }
    return try TokenVerifier(keys: keys, policy: policy).verify(token, at: now)
  }

  private func header(of token: String) throws(AuthError) -> TokenHeader {
    let text = token.utf8.span
    let parts = try CompactJWS(text, limits: policy.limits)
    let bytes = try Base64URL.bytes(of: text.extracting(parts.header))
    return try TokenHeader(JSONObject(reading: bytes, limits: policy.limits.json))
  }

  /// `x5t#S256`, if the header has it, must match the first certificate (RFC 7515 §4.1.8).
  private func checkFingerprint(_ header: TokenHeader, of certificate: X509Certificate) throws(AuthError) {
    guard let stated = header["x5t#S256"] else { return }
    guard stated.string?.isExactly(Base64URL.encode(certificate.sha256Fingerprint)) == true else {
      throw AuthError(.headerInvalid, "`x5t#S256` does not match the certificate")
    }
  }
}
