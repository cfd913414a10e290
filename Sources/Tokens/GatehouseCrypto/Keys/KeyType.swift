/// The kinds of key pairs.
public enum KeyType: Sendable, Hashable {
  /// RSA with a modulus of so many bits, from 2048 to 8192.
  case rsa(bits: Int)
  case ec(EllipticCurve)
  case okp(OKPCurve)
}

extension KeyType {
  public static let p256 = KeyType.ec(.p256)
  public static let p384 = KeyType.ec(.p384)
  public static let p521 = KeyType.ec(.p521)
  public static let secp256k1 = KeyType.ec(.secp256k1)
  public static let ed25519 = KeyType.okp(.ed25519)
  public static let ed448 = KeyType.okp(.ed448)
  public static let x25519 = KeyType.okp(.x25519)
}
