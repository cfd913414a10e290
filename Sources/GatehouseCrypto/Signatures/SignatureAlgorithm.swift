/// The ways to sign with a key pair.
public enum SignatureAlgorithm: Sendable, Hashable {
  /// RSASSA-PKCS1-v1_5 over SHA-256; signatures are as long as the modulus.
  case rsaPKCS1SHA256
  /// ECDSA on P-256 over SHA-256; signatures are r and s, 32 bytes each.
  case ecdsaP256SHA256
  /// Ed25519 (RFC 8032); signatures have 64 bytes.
  case ed25519

  /// Whether keys of a type sign this way.
  public func fits(_ type: KeyType) -> Bool {
    switch (self, type) {
    case (.rsaPKCS1SHA256, .rsa), (.ecdsaP256SHA256, .p256), (.ed25519, .ed25519): true
    default: false
    }
  }
}
