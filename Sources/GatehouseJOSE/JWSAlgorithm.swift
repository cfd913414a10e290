public import GatehouseCrypto

/// The algorithms that tokens are signed with, by their names in RFC 7518, 8037 and 9864.
///
/// `none` is not among them: a token without a signature has no algorithm here, and no verifier takes it.
public enum JWSAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
  /// HMAC-SHA256 with a shared secret.
  case HS256
  /// RSA, PKCS #1 v1.5, SHA-256.
  case RS256
  /// ECDSA on P-256, SHA-256.
  case ES256
  /// Ed25519 by its older name.
  case EdDSA
  /// Ed25519 by the name that says so.
  case Ed25519

  /// How a key pair signs for this algorithm; `nil` for shared secrets.
  public var signature: SignatureAlgorithm? {
    switch self {
    case .HS256: nil
    case .RS256: .rsaPKCS1SHA256
    case .ES256: .ecdsaP256SHA256
    case .EdDSA, .Ed25519: .ed25519
    }
  }
}

extension JWSAlgorithm {
  /// What a type of key signs with when nobody says otherwise.
  public init(for type: KeyType) {
    switch type {
    case .rsa: self = .RS256
    case .p256: self = .ES256
    case .ed25519: self = .EdDSA
    }
  }
}
