/// The kinds of key pairs.
public enum KeyType: Sendable, Hashable {
  /// RSA with a modulus of `bits` bits, from 2048 to 8192.
  case rsa(bits: Int)
  /// An elliptic curve key.
  case ec(EllipticCurve)
  /// A key on a curve of RFC 8037.
  case okp(OKPCurve)
}

extension KeyType {
  /// ECDSA or ECDH on P-256.
  public static let p256 = KeyType.ec(.p256)
  /// ECDSA or ECDH on P-384.
  public static let p384 = KeyType.ec(.p384)
  /// ECDSA or ECDH on P-521.
  public static let p521 = KeyType.ec(.p521)
  /// ECDSA on secp256k1.
  public static let secp256k1 = KeyType.ec(.secp256k1)
  /// EdDSA on Ed25519.
  public static let ed25519 = KeyType.okp(.ed25519)
  /// EdDSA on Ed448.
  public static let ed448 = KeyType.okp(.ed448)
  /// Key agreement with X25519.
  public static let x25519 = KeyType.okp(.x25519)
}
