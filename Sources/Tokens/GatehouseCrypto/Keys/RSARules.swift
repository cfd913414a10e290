import GatehouseBase

/// The rules for the numbers of an RSA key. OpenSSL would accept any numbers.
enum RSARules {
  static let bits = 2048...8192

  /// The number of bits in a big-endian number.
  static func bitCount(_ number: [UInt8]) -> Int {
    guard let first = number.first else { return 0 }
    return number.count * 8 - first.leadingZeroBitCount
  }

  static func check(modulus: [UInt8], exponent: [UInt8]) throws(AuthError) {
    guard let first = modulus.first, first != 0, let last = modulus.last, let top = exponent.first, top != 0 else {
      throw AuthError(.keyInvalid, "an RSA parameter is empty or has leading zeros")
    }
    guard bits.contains(bitCount(modulus)) else {
      throw AuthError(.keyInvalid, "an RSA key must have 2048 to 8192 bits; this one has \(bitCount(modulus))")
    }
    guard exponent.count <= 5 else { throw AuthError(.keyInvalid, "the RSA exponent is above 2^32") }
    let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard value >= 3, value <= 1 << 32, value % 2 == 1 else {
      throw AuthError(.keyInvalid, "the RSA exponent must be odd, and from 3 to 2^32")
    }
    guard last % 2 == 1 else { throw AuthError(.keyInvalid, "the RSA modulus is even") }
    guard !isROCA(modulus) else {
      throw AuthError(.keyInvalid, "the RSA key is weak: it was made by a faulty generator (CVE-2017-15361)")
    }
  }

  /// Limits the time that OpenSSL takes to check a key's primes: there must be two of them, each about half as long as
  /// the modulus, and no number longer than that.
  static func check(secretsOf key: PKey, modulus: [UInt8]) throws(AuthError) {
    guard key.bitCount("rsa-factor3") == nil else {
      throw AuthError(.keyUnsupported, "RSA keys with more than two primes are not supported")
    }
    let bits = bitCount(modulus)
    for (name, most) in [("d", bits), ("rsa-factor1", bits / 2 + 8), ("rsa-factor2", bits / 2 + 8)] {
      guard let length = key.bitCount(name), length <= most else {
        throw AuthError(.keyInvalid, "a private RSA parameter is missing or too long")
      }
    }
  }

  /// Whether a modulus has the fingerprint of Infineon's faulty generator: its primes were powers of 65537 modulo many
  /// small primes, and so is their product. One sound key in 2²⁷ also has it.
  static func isROCA(_ modulus: [UInt8]) -> Bool {
    smallPrimes.allSatisfy { prime in
      let remainder = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
      var power = 1
      repeat {
        if power == remainder { return true }
        power = power * 65537 % prime
      } while power != 1
      return false
    }
  }

  private static let smallPrimes = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
    113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
  ]
}
