/// The two ways to write an ECDSA signature on P-256: r and s one after the other, and DER.
enum ECDSASignature {
  static let rawLength = 64

  /// The order of P-256's group.
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]

  /// A signature in DER; `nil` unless it has 64 bytes, and r and s are above zero and below the order.
  static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
    guard raw.count == rawLength else { return nil }
    var body: [UInt8] = []
    for number in [raw[..<32], raw[32...]] {
      let digits = number.drop { $0 == 0 }
      guard let first = digits.first, number.lexicographicallyPrecedes(order) else { return nil }
      let zero: [UInt8] = first >= 0x80 ? [0] : []
      body += [0x02, UInt8(zero.count + digits.count)] + zero + digits
    }
    return [0x30, UInt8(body.count)] + body
  }

  /// A signature that OpenSSL made, as r and s; `nil` if it is not one.
  static func raw(fromDER der: [UInt8]) -> [UInt8]? {
    guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
    var rest = der.dropFirst(2)
    var raw: [UInt8] = []
    for _ in 0..<2 {
      guard rest.popFirst() == 0x02, let length = rest.popFirst(), Int(length) <= rest.count else { return nil }
      let digits = rest.prefix(Int(length)).drop { $0 == 0 }
      guard digits.count <= 32 else { return nil }
      raw += Array(repeating: 0, count: 32 - digits.count) + digits
      rest = rest.dropFirst(Int(length))
    }
    return rest.isEmpty ? raw : nil
  }
}
