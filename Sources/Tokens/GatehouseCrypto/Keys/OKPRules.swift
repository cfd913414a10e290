import GatehouseBase

/// The rules for public keys on RFC 8037's curves. OpenSSL would accept any bytes.
enum OKPRules {
  static func check(_ key: [UInt8], on curve: OKPCurve) throws(AuthError) {
    guard key.count == curve.keyLength else {
      throw AuthError(.keyInvalid, "an \(curve.rawValue) public key must have \(curve.keyLength) bytes")
    }
    // Every number is an X25519 key. Key agreement rejects the result of a bad one.
    guard curve != .x25519 else { return }
    var y = key
    y[y.count - 1] &= 0x7F  // the sign of x
    guard y.reversed().lexicographicallyPrecedes(prime(of: curve).reversed()) else {
      throw AuthError(.keyInvalid, "the \(curve.rawValue) public key is not canonically encoded")
    }
    guard !smallOrder(on: curve).contains(y) else {
      throw AuthError(.keyInvalid, "the public key is a point of small order")
    }
    guard try EdwardsEquation.hasX(forY: y, on: curve, modulo: prime(of: curve)) else {
      throw AuthError(.keyInvalid, "the public key is not a point on \(curve.rawValue)")
    }
  }

  /// 2²⁵⁵ − 19 or 2⁴⁴⁸ − 2²²⁴ − 1, little-endian.
  private static func prime(of curve: OKPCurve) -> [UInt8] {
    guard curve == .ed448 else { return [0xED] + Array(repeating: 0xFF, count: 30) + [0x7F] }
    return Array(repeating: 0xFF, count: 28) + [0xFE] + Array(repeating: 0xFF, count: 27) + [0]
  }

  /// The y coordinates of the points of small order, little-endian: 0, 1 and −1, and on Ed25519 those of order 8.
  private static func smallOrder(on curve: OKPCurve) -> [[UInt8]] {
    let zero = Array(repeating: UInt8(0), count: curve.keyLength)
    var minusOne = prime(of: curve)
    minusOne[0] -= 1
    return [zero, [1] + zero.dropFirst(), minusOne] + (curve == .ed25519 ? orderEight : [])
  }

  private static let orderEight: [[UInt8]] = [
    [
      0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
      0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
    ],
    [
      0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
      0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
    ],
  ]
}
