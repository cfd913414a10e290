/// How the key that encrypts a message gets to its receiver: the member `alg` of a JWE (RFC 7518 §4).
///
/// RSA with PKCS #1 v1.5 and passwords are not among them, nor are algorithms with SHA-1.
public enum JWEAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
  /// Encrypted to the receiver's RSA key: OAEP with SHA-256.
  case RSAOAEP256 = "RSA-OAEP-256"
  /// Agreed on with the receiver's key on P-256, P-384, P-521 or X25519, and used as it is.
  case ECDHES = "ECDH-ES"
  /// A wrapping key is agreed on, of 16 bytes.
  case ECDHESA128KW = "ECDH-ES+A128KW"
  /// A wrapping key is agreed on, of 32 bytes.
  case ECDHESA256KW = "ECDH-ES+A256KW"
  /// Shared beforehand.
  case dir
  /// Wrapped with a shared key of 16 bytes.
  case A128KW
  /// Wrapped with a shared key of 32 bytes.
  case A256KW
}
