/// The kinds of key pairs.
public enum KeyType: Sendable, Hashable {
  /// RSA with a modulus of so many bits, from 2048 to 8192.
  case rsa(bits: Int)
  /// The curve NIST P-256.
  case p256
  case ed25519
}
