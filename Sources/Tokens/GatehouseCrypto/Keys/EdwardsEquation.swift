import CGatehouseOpenSSL
import GatehouseBase

/// The equation of an Edwards curve, ax² + y² = 1 + dx²y² (RFC 8032 §5.1 and §5.2). OpenSSL solves it only when it
/// verifies a signature.
enum EdwardsEquation {
  /// Whether some x solves the equation for a y other than 1 and −1.
  ///
  /// x² is (y² − 1) / (dy² − a). That is a square if (y² − 1)(dy² − a) is one. Numbers are little-endian.
  static func hasX(forY y: [UInt8], on curve: OKPCurve, modulo prime: [UInt8]) throws(AuthError) -> Bool {
    let a: [UInt8], d: [UInt8]
    switch curve {
    case .ed448: (a, d) = ([1], minus39081)
    case .ed25519, .x25519: (a, d) = ([prime[0] - 1] + prime.dropFirst(), edwards25519)
    }
    // `unsafe`: C; each object is freed once, by its owner.
    let context = try Owned(unsafe BN_CTX_new_ex(OpenSSL.context), what) { unsafe BN_CTX_free($0) }
    let p = try number(prime), one = try number([1]), a_ = try number(a), d_ = try number(d)
    let square = try number(y), other = try number([])
    // `unsafe`: C; all numbers live until the calls are over, and a result may be one of the operands.
    guard
      unsafe BN_mod_sqr(square.raw, square.raw, p.raw, context.raw) == 1
        && BN_mod_mul(other.raw, d_.raw, square.raw, p.raw, context.raw) == 1
        && BN_mod_sub(other.raw, other.raw, a_.raw, p.raw, context.raw) == 1
        && BN_mod_sub(square.raw, square.raw, one.raw, p.raw, context.raw) == 1
        && BN_mod_mul(square.raw, square.raw, other.raw, p.raw, context.raw) == 1
    else { throw OpenSSL.failure(what) }
    let symbol = unsafe BN_kronecker(square.raw, p.raw, context.raw)
    guard symbol >= -1 else { throw OpenSSL.failure(what) }
    return symbol == 1
  }

  private static let what: StaticString = "checking a key's point"

  private static func number(_ bytes: [UInt8]) throws(AuthError) -> Owned {
    // `unsafe`: the buffer has the length that is passed; the number is freed once, by its owner.
    try Owned(unsafe BN_lebin2bn(bytes, Int32(bytes.count), nil), what) { unsafe BN_free($0) }
  }

  /// −121665/121666, little-endian.
  private static let edwards25519: [UInt8] = [
    0xA3, 0x78, 0x59, 0x13, 0xCA, 0x4D, 0xEB, 0x75, 0xAB, 0xD8, 0x41, 0x41, 0x4D, 0x0A, 0x70, 0x00,
    0x98, 0xE8, 0x79, 0x77, 0x79, 0x40, 0xC7, 0x8C, 0x73, 0xFE, 0x6F, 0x2B, 0xEE, 0x6C, 0x03, 0x52,
  ]

  /// −39081 modulo the prime of Ed448, little-endian.
  private static let minus39081: [UInt8] =
    [0x56, 0x67] + Array(repeating: 0xFF, count: 26) + [0xFE] + Array(repeating: 0xFF, count: 27)
}
