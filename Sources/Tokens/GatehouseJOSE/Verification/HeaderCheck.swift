import GatehouseBase
import GatehouseCrypto

/// Finds the key that must have signed a token from its header, for one set of keys and one policy.
///
/// For one thread at a time. A provider's tokens have few different headers. Headers with valid signatures are cached,
/// up to a maximum, and later compared as text. Nothing else is cached, so forged tokens cannot fill the table. Keys
/// and policy never change, so nothing needs to be evicted.
final class HeaderCheck {
  private let keys: JWKSet
  private let policy: VerificationPolicy
  private let rule: @Sendable (TokenHeader) throws(AuthError) -> Void
  /// The checks made so far, by the key's index in the set and the algorithm.
  private var checks: [Int: [JWSAlgorithm: SignatureCheck]] = [:]
  private var known: [RecognizedHeader] = []
  private static let maximumRemembered = 16

  /// `rule` checks a header besides its algorithm and key.
  init(
    _ keys: JWKSet, _ policy: VerificationPolicy, rule: @escaping @Sendable (TokenHeader) throws(AuthError) -> Void
  ) {
    self.keys = keys
    self.policy = policy
    self.rule = rule
  }

  /// Checks a header, in base64url, and finds its key.
  func recognize(_ text: Span<UInt8>) throws(AuthError) -> RecognizedHeader {
    for header in known where header.isSpelled(text) { return header }
    return try recognized([UInt8](copying: text), beside: [:])
  }

  /// Checks a header, in base64url, beside unprotected members, and finds its key.
  func recognize(_ text: [UInt8], beside unprotected: JSONObject) throws(AuthError) -> RecognizedHeader {
    try unprotected.isEmpty ? recognize(text.span) : recognized(text, beside: unprotected)
  }

  /// Caches a header with a valid signature.
  func remember(_ header: RecognizedHeader) {
    guard !header.isRemembered, known.count < Self.maximumRemembered else { return }
    header.isRemembered = true
    known.append(header)
  }

  private func recognized(_ text: [UInt8], beside unprotected: JSONObject) throws(AuthError) -> RecognizedHeader {
    guard text.count <= policy.limits.header else {
      throw AuthError(.tokenTooLarge, "the header is longer than \(policy.limits.header) bytes")
    }
    let members = try JSONObject(reading: Base64URL.bytes(of: text), limits: policy.limits.json)
    let header = try TokenHeader(members, beside: unprotected)
    try rule(header)
    let (index, algorithm) = try key(for: header)
    return RecognizedHeader(
      text: text, header: header, check: try check(index, algorithm),
      hash: algorithm.hash(for: keys.keys[index].key), keyIssuer: keys.keys[index].issuer.map(IssuerPattern.init))
  }

  private func key(for header: TokenHeader) throws(AuthError) -> (index: Int, algorithm: JWSAlgorithm) {
    guard let algorithm = JWSAlgorithm(exactly: header.algorithm), policy.algorithms.contains(algorithm) else {
      throw AuthError(.algorithmRefused, "the token's `alg` is not accepted by the policy")
    }
    guard header.keyID != nil || !policy.requiresKeyID else {
      throw AuthError(.unknownKey, "`kid` is missing")
    }
    return (try keys.index(named: header.keyID, for: algorithm), algorithm)
  }

  private func check(_ index: Int, _ algorithm: JWSAlgorithm) throws(AuthError) -> SignatureCheck {
    if let check = checks[index]?[algorithm] { return check }
    let check = try SignatureCheck(keys.keys[index], algorithm)
    checks[index, default: [:]][algorithm] = check
    return check
  }
}

extension JWSAlgorithm {
  /// The hash function of `at_hash` and `c_hash` (OpenID Connect Core §3.1.3.6): the algorithm's own. For Ed25519 that
  /// is SHA-512; `nil` for Ed448, whose hash is not supported.
  fileprivate func hash(for key: JWK.Key) -> HashAlgorithm? {
    switch self {
    case .HS256, .RS256, .PS256, .ES256, .ES256K: .sha256
    case .HS384, .RS384, .PS384, .ES384: .sha384
    case .HS512, .RS512, .PS512, .ES512, .Ed25519: .sha512
    case .EdDSA: key.publicKey?.type == .ed25519 ? .sha512 : nil
    case .Ed448: nil
    }
  }
}
