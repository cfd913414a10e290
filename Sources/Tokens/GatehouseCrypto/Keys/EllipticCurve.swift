/// The elliptic curves of `EC` JWKs, by their names in JWKs (RFC 7518 §6.2.1.1, RFC 8812).
public enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
  /// NIST P-256.
  case p256 = "P-256"
  /// NIST P-384.
  case p384 = "P-384"
  /// NIST P-521.
  case p521 = "P-521"
  /// secp256k1 (RFC 8812).
  case secp256k1

  /// The length of a coordinate, and of each half of a signature, in bytes.
  public var coordinateLength: Int {
    switch self {
    case .p256, .secp256k1: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// The hash that JOSE pairs with the curve.
  public var hash: HashAlgorithm {
    switch self {
    case .p256, .secp256k1: .sha256
    case .p384: .sha384
    case .p521: .sha512
    }
  }

  /// OpenSSL's name of the curve.
  var groupName: String {
    switch self {
    case .p256: "prime256v1"
    case .p384: "secp384r1"
    case .p521: "secp521r1"
    case .secp256k1: "secp256k1"
    }
  }

  init?(groupName: String) {
    guard let curve = Self.allCases.first(where: { $0.groupName == groupName }) else { return nil }
    self = curve
  }
}
