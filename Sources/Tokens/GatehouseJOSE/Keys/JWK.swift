import GatehouseBase
public import GatehouseCrypto

/// A key as JSON (RFC 7517): RSA, EC, OKP or a shared secret, with its allowed uses.
///
/// Parsing is strict: numbers must be canonical, private keys complete, and every rule of `PublicKey`, `PrivateKey` and
/// `SecretKey` applies. Certificates are kept if they are for the key. Other members are ignored.
public struct JWK: Sendable {
  /// The kinds of keys in a JWK.
  public enum Key: Sendable {
    /// A public key.
    case publicKey(PublicKey)
    /// A key pair.
    case privateKey(PrivateKey)
    /// A shared secret: `kty` is `oct`.
    case symmetric(SecretKey)
  }

  /// The key itself.
  public let key: Key
  /// The key ID, `kid`: at most 256 bytes, compared as bytes.
  public var keyID: String?
  /// The only algorithm that the key is for, `alg`; `nil` if only its type decides.
  public let algorithm: Algorithm?
  /// `use`: `sig` or `enc`; in SPIFFE's sets `jwt-svid`, which counts as `sig`.
  public let use: String?
  /// `key_ops`.
  public let operations: [String]?
  /// `issuer`: the only issuer that the key signs for, or a template with a placeholder in braces, as in Microsoft
  /// Entra's sets; `nil` if it is missing, empty or not a string. A `TokenVerifier` rejects tokens of other issuers,
  /// whatever its policy says about issuers.
  public var issuer: String?
  /// `x5c`: the key's certificate first, then its chain. Not verified: see `CertificateChain`.
  public internal(set) var certificates: [X509Certificate] = []
  /// `x5t#S256`: SHA-256 of the key's certificate, 32 bytes.
  public internal(set) var certificateFingerprint: [UInt8]?

  /// Makes a key. Throws `algorithmRefused` if the key does not support the algorithm, and `keyInvalid` for a key ID
  /// that is too long.
  public init(
    _ key: Key, keyID: String? = nil, algorithm: JWSAlgorithm? = nil, use: String? = nil, operations: [String]? = nil
  ) throws {
    try self.init(key, keyID: keyID, named: algorithm.map(Algorithm.signature), use: use, operations: operations)
  }

  /// Makes a key for encryption. Throws `algorithmRefused` if the key does not support the algorithm.
  public init(
    _ key: Key, keyID: String? = nil, algorithm: JWEAlgorithm, use: String? = "enc", operations: [String]? = nil
  ) throws {
    try self.init(key, keyID: keyID, named: .encryption(algorithm), use: use, operations: operations)
  }

  /// Makes a key with any kind of `alg`.
  init(
    _ key: Key, keyID: String?, named algorithm: Algorithm?, use: String?, operations: [String]?
  ) throws(AuthError) {
    if let algorithm, !key.serves(algorithm) {
      if case .symmetric(let secret) = key, let least = algorithm.leastSecret, secret.count < least {
        throw AuthError(.keyInvalid, "a shared secret for \(algorithm.rawValue) must have at least \(least) bytes")
      }
      throw AuthError(.algorithmRefused, "this key type or size does not support \(algorithm.rawValue)")
    }
    self.key = key
    self.keyID = keyID
    self.algorithm = algorithm
    self.use = use
    self.operations = operations
    try requireReadableKeyID()
  }

  /// Throws `keyInvalid` for a key ID that Gatehouse's readers reject. It may have been set since the key was made.
  func requireReadableKeyID() throws(AuthError) {
    guard keyID?.utf8.count ?? 0 <= Self.maximumKeyIDLength else {
      throw AuthError(.keyInvalid, "`kid` is longer than \(Self.maximumKeyIDLength) bytes")
    }
  }

  /// Returns the same key for another algorithm or use, with its key ID, operations, issuer and certificates.
  ///
  /// Throws `algorithmRefused` if the key does not support the algorithm.
  public func relabelled(algorithm: Algorithm?, use: String?) throws -> JWK {
    var key = try JWK(key, keyID: keyID, named: algorithm, use: use, operations: operations)
    key.copyLabels(of: self)
    return key
  }

  /// The public half of a key pair, with the same key ID and issuer; `nil` for a shared secret.
  public var publicJWK: JWK? {
    guard let publicKey = key.publicKey else { return nil }
    var half = try? JWK(.publicKey(publicKey), keyID: keyID, named: algorithm, use: use, operations: publicOperations)
    half?.copyLabels(of: self)
    return half
  }

  /// Copies the members of a key that no initializer takes.
  private mutating func copyLabels(of other: JWK) {
    issuer = other.issuer
    certificates = other.certificates
    certificateFingerprint = other.certificateFingerprint
  }

  /// The operations of the public half that correspond to the private key's.
  var publicOperations: [String]? {
    guard case .privateKey = key else { return operations }
    let halves = [("sign", "verify"), ("decrypt", "encrypt"), ("unwrapKey", "wrapKey")]
    return operations.map { own in
      halves.filter { half in own.contains { $0.isExactly(half.0) || $0.isExactly(half.1) } }.map(\.1)
    }
  }

  /// Whether the key may verify tokens with an algorithm, according to its type, `alg`, `use` and `key_ops`.
  public func verifies(_ algorithm: JWSAlgorithm) -> Bool { permits("verify", algorithm) }

  /// Whether the key may sign tokens with an algorithm.
  public func signs(_ algorithm: JWSAlgorithm) -> Bool {
    if case .publicKey = key { return false }
    return permits("sign", algorithm)
  }

  private func permits(_ operation: String, _ algorithm: JWSAlgorithm) -> Bool {
    guard key.serves(algorithm), isUsedForSignatures else { return false }
    guard self.algorithm ?? .signature(algorithm) == .signature(algorithm) else { return false }
    return permits(operation)
  }

  /// Whether `key_ops` is missing or has `verify`.
  var permitsVerifying: Bool { permits("verify") }

  private func permits(_ operation: String) -> Bool {
    operations?.contains { $0.isExactly(operation) } ?? true
  }
}

extension JWK.Key {
  /// The public half of a key pair.
  public var publicKey: PublicKey? {
    switch self {
    case .publicKey(let key): key
    case .privateKey(let key): key.publicKey
    case .symmetric: nil
    }
  }

  /// Whether such keys can sign at all.
  var signs: Bool { JWSAlgorithm.allCases.contains(where: serves) }

  /// Whether keys of this type, or secrets of this length, support a signature algorithm.
  func serves(_ algorithm: JWSAlgorithm) -> Bool {
    switch self {
    case .publicKey(let key): algorithm.signature(for: key.type) != nil
    case .privateKey(let key): algorithm.signature(for: key.type) != nil
    case .symmetric(let key): algorithm.mac.map { key.count >= $0.length } ?? false
    }
  }
}
