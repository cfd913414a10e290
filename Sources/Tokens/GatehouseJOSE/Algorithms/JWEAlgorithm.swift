/// How the key that encrypts a message gets to its receiver: the member `alg` of a JWE (RFC 7518 §4).
///
/// RSA with PKCS #1 v1.5 and passwords are not among them.
public enum JWEAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
  /// Encrypted to the receiver's RSA key: OAEP with SHA-256.
  case RSAOAEP256 = "RSA-OAEP-256"
  /// Agreed on with the receiver's key on P-256, P-384, P-521 or X25519, and used as it is.
  case ECDHES = "ECDH-ES"
  /// A wrapping key is agreed on, of 16 bytes.
  case ECDHESA128KW = "ECDH-ES+A128KW"
  /// A wrapping key is agreed on, of 24 bytes.
  case ECDHESA192KW = "ECDH-ES+A192KW"
  /// A wrapping key is agreed on, of 32 bytes.
  case ECDHESA256KW = "ECDH-ES+A256KW"
  /// Shared beforehand.
  case dir
  /// Wrapped with a shared key of 16 bytes.
  case A128KW
  /// Wrapped with a shared key of 24 bytes.
  case A192KW
  /// Wrapped with a shared key of 32 bytes.
  case A256KW
  /// Encrypted with a shared key of 16 bytes, in Galois counter mode.
  case A128GCMKW
  /// Encrypted with a shared key of 24 bytes, in Galois counter mode.
  case A192GCMKW
  /// Encrypted with a shared key of 32 bytes, in Galois counter mode.
  case A256GCMKW
  /// Encrypted to the receiver's RSA key: OAEP with SHA-1, for neighbors that have no other. It is never a default, and
  /// not among `usual`: name it where you need it.
  case RSAOAEP = "RSA-OAEP"

  /// All but RSA-OAEP with SHA-1.
  public static let usual = Set(allCases.filter { $0 != .RSAOAEP })
}
