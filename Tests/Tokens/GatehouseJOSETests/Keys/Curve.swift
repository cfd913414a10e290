import TestSupport

/// The orders of the signing curves: a signature contains no numbers above them, and some below have an equivalent.
enum Curve: CaseIterable {
  case p256, p384, p521, secp256k1
  case ed25519, ed448

  /// Highest byte first, with half the length of a signature.
  var order: [UInt8] {
    switch self {
    case .p256: bytes(hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    case .p384:
      bytes(
        hex: """
          ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973
          """)
    case .p521:
      bytes(
        hex: """
          01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5\
          c9b8899c47aebb6fb71e91386409
          """)
    case .secp256k1: bytes(hex: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
    case .ed25519: bytes(hex: "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed")
    case .ed448:
      bytes(
        hex: """
          003fffffffffffffffffffffffffffffffffffffffffffffffffffffff7cca23e9c44edb49aed63690216cc2728dc58f552378c29\
          2ab5844f3
          """)
    }
  }
}

extension [UInt8] {
  /// The sum of two numbers of the same length, highest byte first; overflow is discarded.
  func plus(_ other: [UInt8]) -> [UInt8] {
    var carry = 0
    let digits = zip(self, other).reversed().map { left, right in
      carry += Int(left) + Int(right)
      defer { carry >>= 8 }
      return UInt8(carry & 0xFF)
    }
    return digits.reversed()
  }

  /// The difference of two numbers of the same length, highest byte first.
  func minus(_ other: [UInt8]) -> [UInt8] {
    let one = Array(repeating: UInt8(0), count: other.count - 1) + [1]
    return plus(other.map { ~$0 }.plus(one))
  }
}
