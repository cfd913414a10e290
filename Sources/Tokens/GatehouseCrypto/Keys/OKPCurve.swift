/// The curves of JWKs of the type `OKP`, by their names there (RFC 8037): the first two sign, the last agrees on keys.
public enum OKPCurve: String, Sendable, Hashable, CaseIterable {
  /// Signs: 32-byte keys, 64-byte signatures.
  case ed25519 = "Ed25519"
  /// Signs: 57-byte keys, 114-byte signatures.
  case ed448 = "Ed448"
  /// Agrees on keys: 32-byte keys.
  case x25519 = "X25519"

  /// Bytes in a public key, and in a private one.
  public var keyLength: Int {
    switch self {
    case .ed25519, .x25519: 32
    case .ed448: 57
    }
  }

  /// What OpenSSL calls it.
  var name: String {
    switch self {
    case .ed25519: "ED25519"
    case .ed448: "ED448"
    case .x25519: "X25519"
    }
  }
}
