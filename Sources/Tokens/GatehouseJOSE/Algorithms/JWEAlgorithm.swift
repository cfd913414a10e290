/// How the receiver of a message gets the key that encrypts it: the member `alg` of a JWE (RFC 7518 §4).
///
/// RSA with PKCS #1 v1.5 and passwords are not supported.
public enum JWEAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
  /// The key is encrypted to the receiver's RSA key: OAEP with SHA-256.
  case RSAOAEP256 = "RSA-OAEP-256"
  /// The key is agreed on with the receiver's key on P-256, P-384, P-521 or X25519, and used as it is.
  case ECDHES = "ECDH-ES"
  /// A wrapping key is agreed on, of 16 bytes.
  case ECDHESA128KW = "ECDH-ES+A128KW"
  /// A wrapping key is agreed on, of 24 bytes.
  case ECDHESA192KW = "ECDH-ES+A192KW"
  /// A wrapping key is agreed on, of 32 bytes.
  case ECDHESA256KW = "ECDH-ES+A256KW"
  /// The key is shared beforehand.
  case dir
  /// The key is wrapped with a shared key of 16 bytes.
  case A128KW
  /// The key is wrapped with a shared key of 24 bytes.
  case A192KW
  /// The key is wrapped with a shared key of 32 bytes.
  case A256KW
  /// The key is encrypted with a shared key of 16 bytes, in Galois counter mode.
  case A128GCMKW
  /// The key is encrypted with a shared key of 24 bytes, in Galois counter mode.
  case A192GCMKW
  /// The key is encrypted with a shared key of 32 bytes, in Galois counter mode.
  case A256GCMKW
  /// The key is encrypted to the receiver's RSA key: OAEP with SHA-1, for peers that support no other. It is never a
  /// default, and not in `usual`: name it explicitly.
  case RSAOAEP = "RSA-OAEP"

  /// All algorithms except RSA-OAEP with SHA-1.
  public static let usual = Set(allCases.filter { $0 != .RSAOAEP })
}
