package import GatehouseCrypto

/// The encryption of a message's content: the member `enc` of a JWE (RFC 7518 §5).
public enum ContentEncryption: String, Sendable, Hashable, CaseIterable, Codable {
  /// AES in Galois counter mode.
  case A128GCM, A192GCM, A256GCM
  /// AES-128 in CBC mode, and HMAC-SHA256.
  case A128CBCHS256 = "A128CBC-HS256"
  /// AES-192 in CBC mode, and HMAC-SHA384.
  case A192CBCHS384 = "A192CBC-HS384"
  /// AES-256 in CBC mode, and HMAC-SHA512.
  case A256CBCHS512 = "A256CBC-HS512"

  /// The cipher with this name.
  package var cipher: AuthenticatedCipher {
    switch self {
    case .A128GCM: .aes128GCM
    case .A192GCM: .aes192GCM
    case .A256GCM: .aes256GCM
    case .A128CBCHS256: .aes128CBCHMACSHA256
    case .A192CBCHS384: .aes192CBCHMACSHA384
    case .A256CBCHS512: .aes256CBCHMACSHA512
    }
  }

  /// The default content encryption for a shared key of `length` bytes: Galois counter mode if possible.
  init?(forKeyOf length: Int) {
    guard let first = Self.allCases.first(where: { $0.cipher.keyLength == length }) else { return nil }
    self = first
  }
}
