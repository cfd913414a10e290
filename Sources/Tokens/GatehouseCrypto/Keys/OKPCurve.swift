/// The curves of `OKP` JWKs, by their names in JWKs (RFC 8037). The first two are for signatures, the last for key
/// agreement.
public enum OKPCurve: String, Sendable, Hashable, CaseIterable {
  /// For signatures: 32-byte keys, 64-byte signatures.
  case ed25519 = "Ed25519"
  /// For signatures: 57-byte keys, 114-byte signatures.
  case ed448 = "Ed448"
  /// For key agreement: 32-byte keys.
  case x25519 = "X25519"

  /// The length of a public key, and of a private one, in bytes.
  public var keyLength: Int {
    switch self {
    case .ed25519, .x25519: 32
    case .ed448: 57
    }
  }

  /// OpenSSL's name of the curve.
  var name: String {
    switch self {
    case .ed25519: "ED25519"
    case .ed448: "ED448"
    case .x25519: "X25519"
    }
  }
}
