import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

/// Group 18 for every curve; `A key is refused (group 18)` has RSA and the first of the curves.
struct `A public key` {
  private func refusal(_ parameters: PublicKey.Parameters) -> AuthError.Code? {
    TestSupport.refusal { try PublicKey(parameters) }
  }

  @Test(arguments: EllipticCurve.allCases)
  func `is a whole point on its curve, in its one spelling (group 18)`(curve: EllipticCurve) throws {
    guard case .ec(_, let x, let y) = try PrivateKey.generate(.ec(curve)).publicKey.parameters else { return }
    let length = curve.coordinateLength
    let zero = Array(repeating: UInt8(0), count: length)
    let ones = Array(repeating: UInt8(0xFF), count: length)
    var off = y
    off[length - 1] ^= 1
    #expect(refusal(.ec(curve, x: x, y: y)) == nil)
    for (x, y) in [
      (x, off), (y, x), (x, x), (zero, zero), (x, zero), (ones, y), (x, ones), (x, Array(y.dropLast())),
      (Array(x.dropFirst()), y), ([0] + x, y), (x, [0] + y), ([], []), (x + y, []), (zero + x, zero + y),
    ] as [([UInt8], [UInt8])] {
      #expect(refusal(.ec(curve, x: x, y: y)) == .keyInvalid)
    }
    for other in EllipticCurve.allCases where other != curve {
      #expect(refusal(.ec(other, x: x, y: y)) == .keyInvalid, "\(other)")
    }
  }

  /// Points whose x is so small that it has two encodings that fit: itself, and with the field's prime added.
  private static let smallPoints: [(EllipticCurve, x: UInt8, prime: String, y: String)] = [
    (
      .p256, 5, "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
      "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc"
    ),
    (
      .p384, 2, "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
      "8cdeadbbd04911a3c1931e26df3fa6439dca9c7eb286fbd46fc319f0e2bb780232baf57825fc0c1912ada2fefe84024c"
    ),
    (
      .secp256k1, 1, "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
      "4218f20ae6c646b363db68605822fb14264ca8d2587fdd6fbc750d587e76a7ee"
    ),
    (
      .p521, 1,
      """
      01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
      ffffffffffffffffff
      """,
      """
      0010e59be93c4f269c0269c79e2afd65d6aeaa9b701eacc194fb3ee03df47849bf550ec636ebee0ddd4a16f1cd9406605af38f584567770e3f\
      272d688c832e843564
      """
    ),
  ]

  @Test(arguments: smallPoints)
  func `has no coordinate above the field's prime (group 18)`(
    curve: EllipticCurve, x: UInt8, prime: String, y: String
  ) {
    let zeros = Array(repeating: UInt8(0), count: curve.coordinateLength - 1)
    let y = bytes(hex: y)
    #expect(refusal(.ec(curve, x: zeros + [x], y: y)) == nil)
    var carry = Int(x)
    let above = bytes(hex: prime).reversed().map { digit in
      carry += Int(digit)
      defer { carry >>= 8 }
      return UInt8(carry & 0xFF)
    }
    #expect(refusal(.ec(curve, x: above.reversed(), y: y)) == .keyInvalid)
  }

  @Test func `on Ed448 is canonical, of 57 bytes and not of small order (group 18)`() throws {
    guard case .okp(_, let good) = try PrivateKey.generate(.ed448).publicKey.parameters else { return }
    let ones = Array(repeating: UInt8(0xFF), count: 28)
    let zeros = Array(repeating: UInt8(0), count: 56)
    #expect(refusal(.okp(.ed448, good)) == nil)
    for key in [
      [1] + zeros, [0] + zeros, [0xFE] + ones.dropLast() + [0xFE] + ones.dropLast() + [0],
      ones + [0xFE] + ones.dropLast() + [0], [0] + ones.dropLast() + [0xFF] + ones.dropLast() + [0],
      [1] + zeros.dropLast() + [0x80], zeros, [], good + [0], Array(good.prefix(32)),
      good.dropLast() + [good[56] | 1], ones + ones + [0x7F], ones + ones + [0xFF],
    ] as [[UInt8]] {
      #expect(refusal(.okp(.ed448, key)) == .keyInvalid, "\(key)")
    }
  }

  /// The y coordinates below 30 for which there is an x, by Euler's criterion in Python.
  private static let onCurve: [(OKPCurve, [UInt8])] = [
    (.ed25519, [3, 4, 5, 6, 9, 10, 14, 15, 16, 18, 19, 21, 23, 24, 25, 26, 27, 28, 29]),
    (.ed448, [3, 4, 5, 7, 8, 9, 12, 13, 19, 21, 24, 25, 26, 27, 29]),
  ]

  @Test(arguments: onCurve)
  func `on an Edwards curve has an x that belongs to its y (group 18)`(curve: OKPCurve, known: [UInt8]) throws {
    for y in 2..<30 as Range<UInt8> {
      for sign in [0, 0x80] as [UInt8] {
        let key = [y] + Array(repeating: 0, count: curve.keyLength - 2) + [sign]
        #expect(refusal(.okp(curve, key)) == (known.contains(y) ? nil : .keyInvalid), "\(y)")
      }
    }
    for _ in 0..<20 {
      guard case .okp(_, let key) = try PrivateKey.generate(.okp(curve)).publicKey.parameters else { return }
      #expect(refusal(.okp(curve, key)) == nil)
    }
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `on X25519 has 32 bytes (group 18)`() {
    #expect(refusal(.okp(.x25519, Array(repeating: 9, count: 32))) == nil)
    for count in [0, 31, 33, 56, 57] {
      #expect(refusal(.okp(.x25519, Array(repeating: 9, count: count))) == .keyInvalid)
    }
  }

  @Test func `is not taken for a shared secret, in any of its forms (groups 9 and 18)`() throws {
    for pem in [
      PEMFixture.rsaPublic, PEMFixture.rsaPublicPKCS1, PEMFixture.ecPublic, PEMFixture.ed25519Public,
      PEMFixture.pssPublic, PEMFixture.weakPublic,
    ] {
      let der = bytes(base64: pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined())
      #expect(der.count > 40)
      for form in [Array(pem.utf8), Array(("Public-Key:\n" + pem).utf8), der] {
        #expect(TestSupport.refusal { try SecretKey(form) } == .keyInvalid)
        #expect(OpenSSLErrors.areNone)
      }
    }
  }
}
