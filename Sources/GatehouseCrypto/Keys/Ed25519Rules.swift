import GatehouseBase

/// Which 32 bytes make an Ed25519 public key that may be used. OpenSSL would take any.
enum Ed25519Rules {
  static func check(_ key: [UInt8]) throws(AuthError) {
    guard key.count == 32 else { throw AuthError(.keyInvalid, "an Ed25519 public key has 32 bytes") }
    var y = key
    y[31] &= 0x7F  // the sign of x
    guard y.reversed().lexicographicallyPrecedes(prime.reversed()) else {
      throw AuthError(.keyInvalid, "the Ed25519 public key is not written canonically")
    }
    guard !smallOrder.contains(y) else {
      throw AuthError(.keyInvalid, "the Ed25519 public key is a point of small order: it would sign anything")
    }
  }

  /// 2²⁵⁵ − 19, lowest byte first.
  private static let prime: [UInt8] = [0xED] + Array(repeating: 0xFF, count: 30) + [0x7F]

  /// The y of the points of order 1, 2, 4 and 8, lowest byte first.
  private static let smallOrder: [[UInt8]] = [
    [1] + Array(repeating: 0, count: 31),
    [0xEC] + Array(repeating: 0xFF, count: 30) + [0x7F],
    Array(repeating: 0, count: 32),
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
