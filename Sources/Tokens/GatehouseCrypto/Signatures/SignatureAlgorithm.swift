import GatehouseBase

/// The signature algorithms of key pairs.
public enum SignatureAlgorithm: Sendable, Hashable {
  /// RSASSA-PKCS1-v1_5; signatures are as long as the modulus.
  case rsaPKCS1(HashAlgorithm)
  /// RSASSA-PSS with the same hash in MGF1 and a salt of the hash's length; signatures are as long as the modulus.
  case rsaPSS(HashAlgorithm)
  /// ECDSA with the curve's hash; signatures are r and s, each as long as a coordinate.
  case ecdsa(EllipticCurve)
  /// Ed25519 (RFC 8032); signatures have 64 bytes.
  case ed25519
  /// Ed448 (RFC 8032); signatures have 114 bytes.
  case ed448

  /// Whether keys of a type support this algorithm.
  public func fits(_ type: KeyType) -> Bool {
    switch (self, type) {
    case (.rsaPKCS1, .rsa), (.rsaPSS, .rsa), (.ed25519, .okp(.ed25519)), (.ed448, .okp(.ed448)): true
    case (.ecdsa(let wanted), .ec(let curve)): wanted == curve
    default: false
    }
  }

  func requireFit(_ type: KeyType) throws(AuthError) {
    guard fits(type) else { throw AuthError(.keyInvalid, "this key type does not support the signature algorithm") }
  }

  /// The hash of the message that is signed; `nil` for algorithms that sign the message itself.
  var hash: HashAlgorithm? {
    switch self {
    case .rsaPKCS1(let hash), .rsaPSS(let hash): hash
    case .ecdsa(let curve): curve.hash
    case .ed25519, .ed448: nil
    }
  }
}

extension PublicKey {
  /// The length of a signature of this key, in bytes; 0 for keys that do not sign.
  public var signatureLength: Int {
    switch parameters {
    case .rsa(let modulus, _): modulus.count
    case .ec(let curve, _, _): 2 * curve.coordinateLength
    case .okp(let curve, _): curve == .x25519 ? 0 : 2 * curve.keyLength
    }
  }
}
