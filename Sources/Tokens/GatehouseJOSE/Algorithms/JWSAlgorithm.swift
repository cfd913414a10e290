public import GatehouseCrypto

/// The signature algorithms of tokens, by their names in RFC 7518, 8037, 8812 and 9864.
///
/// `none` is not among them: a token without a signature has no algorithm here, and no verifier accepts it.
public enum JWSAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
  /// HMAC with a shared secret.
  case HS256, HS384, HS512
  /// RSA, PKCS #1 v1.5.
  case RS256, RS384, RS512
  /// RSA, PSS with a salt of the hash's length.
  case PS256, PS384, PS512
  /// ECDSA on P-256, P-384 and P-521.
  case ES256, ES384, ES512
  /// ECDSA on secp256k1.
  case ES256K
  /// Ed25519 or Ed448, depending on the key.
  case EdDSA
  /// The same two under their explicit names.
  case Ed25519, Ed448

  /// The key pair's signature algorithm for this algorithm; `nil` if keys of its type do not support it.
  public func signature(for type: KeyType) -> SignatureAlgorithm? {
    let algorithm: SignatureAlgorithm
    switch self {
    case .HS256, .HS384, .HS512: return nil
    case .RS256: algorithm = .rsaPKCS1(.sha256)
    case .RS384: algorithm = .rsaPKCS1(.sha384)
    case .RS512: algorithm = .rsaPKCS1(.sha512)
    case .PS256: algorithm = .rsaPSS(.sha256)
    case .PS384: algorithm = .rsaPSS(.sha384)
    case .PS512: algorithm = .rsaPSS(.sha512)
    case .ES256: algorithm = .ecdsa(.p256)
    case .ES384: algorithm = .ecdsa(.p384)
    case .ES512: algorithm = .ecdsa(.p521)
    case .ES256K: algorithm = .ecdsa(.secp256k1)
    case .EdDSA: algorithm = type == .ed448 ? .ed448 : .ed25519
    case .Ed25519: algorithm = .ed25519
    case .Ed448: algorithm = .ed448
    }
    return algorithm.fits(type) ? algorithm : nil
  }

  /// The hash of the HMAC for this algorithm; `nil` for algorithms of key pairs.
  public var mac: HashAlgorithm? {
    switch self {
    case .HS256: .sha256
    case .HS384: .sha384
    case .HS512: .sha512
    default: nil
    }
  }
}

extension JWSAlgorithm {
  /// The default algorithm of a key type; `nil` for keys that do not sign.
  public init?(for type: KeyType) {
    switch type {
    case .rsa: self = .RS256
    case .ec(.p256): self = .ES256
    case .ec(.p384): self = .ES384
    case .ec(.p521): self = .ES512
    case .ec(.secp256k1): self = .ES256K
    case .okp(.ed25519), .okp(.ed448): self = .EdDSA
    case .okp(.x25519): return nil
    }
  }

  /// All algorithms of key pairs: none of them can be verified with a shared secret.
  public static let asymmetric = Set(allCases.filter { $0.mac == nil })
}
