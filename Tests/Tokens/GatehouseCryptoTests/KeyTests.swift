import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

struct `Keys` {
  static let types: [(KeyType, SignatureAlgorithm)] = [
    (.rsa(bits: 2048), .rsaPKCS1(.sha256)), (.rsa(bits: 2056), .rsaPSS(.sha512)), (.p256, .ecdsa(.p256)),
    (.p384, .ecdsa(.p384)), (.p521, .ecdsa(.p521)), (.secp256k1, .ecdsa(.secp256k1)), (.ed25519, .ed25519),
    (.ed448, .ed448),
  ]

  @Test(arguments: types)
  func `sign what their public half accepts, and nothing else`(type: KeyType, algorithm: SignatureAlgorithm) throws {
    let key = try PrivateKey.generate(type)
    #expect(key.type == type)
    for message in [[], [1, 2, 3], Array(repeating: 7, count: 10_000)] as [[UInt8]] {
      let signature = try key.sign(message, with: algorithm)
      #expect(signature.count == key.publicKey.signatureLength)
      #expect(try key.publicKey.isValid(signature, for: message, with: algorithm))
      #expect(try !key.publicKey.isValid(signature, for: message + [0], with: algorithm))
      var changed = signature
      changed[signature.count / 3] ^= 1
      #expect(try !key.publicKey.isValid(changed, for: message, with: algorithm))
      #expect(try !key.publicKey.isValid(signature + [0], for: message, with: algorithm))
      #expect(try !key.publicKey.isValid([], for: message, with: algorithm))
      #expect(try !PrivateKey.generate(.ed25519).publicKey.isValid(signature, for: message, with: .ed25519))
    }
  }

  @Test(arguments: types)
  func `come back from PEM and from their numbers`(type: KeyType, algorithm: SignatureAlgorithm) throws {
    let key = try PrivateKey.generate(type)
    #expect(try PublicKey(pem: key.publicKey.pem()) == key.publicKey)
    #expect(try PublicKey(key.publicKey.parameters) == key.publicKey)
    let signature = try key.sign([1], with: algorithm)
    for copy in [try PrivateKey(pem: key.pem()), try PrivateKey(key.revealedParameters())] {
      #expect(copy.publicKey == key.publicKey)
      #expect(try copy.publicKey.isValid(signature, for: [1], with: algorithm))
      #expect(try key.publicKey.isValid(copy.sign([2], with: algorithm), for: [2], with: algorithm))
    }
  }

  @Test func `sign in one way only`() throws {
    for (type, _) in Self.types {
      let key = try PrivateKey.generate(type)
      for (_, other) in Self.types where !other.fits(type) {
        #expect(refusal { try key.sign([], with: other) } == .keyInvalid)
        #expect(
          refusal { try key.publicKey.isValid([], for: [], with: other) } == .keyInvalid)
      }
    }
  }

  @Test func `are refused where a key of the other half is expected`() throws {
    let key = try PrivateKey.generate(.p256)
    #expect(refusal { try PublicKey(pem: key.pem().revealed) } == .keyInvalid)
    #expect(refusal { try PrivateKey(pem: key.publicKey.pem()) } == .keyInvalid)
    let two = try key.publicKey.pem() + key.publicKey.pem()
    #expect(refusal { try PublicKey(pem: two) } == .keyInvalid)
    for text in ["", "PEM", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"] {
      #expect(refusal { try PublicKey(pem: text) } == .keyInvalid)
    }
    let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    #expect(refusal { try PublicKey(pem: certificate) } == .keyUnsupported)
    let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
    #expect(refusal { try PrivateKey(pem: encrypted) } == .keyUnsupported)
  }

  @Test func `print nothing of themselves when they are secret`() throws {
    let key = try PrivateKey.generate(.ed25519)
    #expect("\(key)" == "•••")
    #expect(Mirror(reflecting: key).children.isEmpty)
    let secret = try SecretKey.generate()
    #expect("\(secret)" == "•••")
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }
}

/// Group 18 of a verifier's duties (§3).
struct `A key is refused (group 18)` {
  /// The numbers of a good RSA key, generated once.
  private static let goodRSA: (n: [UInt8], e: [UInt8])? = {
    guard case .rsa(let n, let e)? = try? PrivateKey.generate(.rsa(bits: 2048)).publicKey.parameters else { return nil }
    return (n, e)
  }()
  private let rsa: (n: [UInt8], e: [UInt8])

  init() throws { rsa = try #require(Self.goodRSA) }

  private func refusal(_ parameters: PublicKey.Parameters) -> AuthError.Code? {
    TestSupport.refusal { try PublicKey(parameters) }
  }

  @Test func `when its modulus is too short, too long, even, or begins with zero`() {
    #expect(refusal(.rsa(modulus: rsa.n, exponent: rsa.e)) == nil)
    #expect(refusal(.rsa(modulus: Array(rsa.n.suffix(128)), exponent: rsa.e)) == .keyInvalid)
    #expect(refusal(.rsa(modulus: [0x7F] + rsa.n.dropFirst(), exponent: rsa.e)) == .keyInvalid)
    #expect(refusal(.rsa(modulus: [1] + Array(repeating: 1, count: 1024), exponent: rsa.e)) == .keyInvalid)
    #expect(refusal(.rsa(modulus: rsa.n.dropLast() + [0x10], exponent: rsa.e)) == .keyInvalid)
    #expect(refusal(.rsa(modulus: [0] + rsa.n, exponent: rsa.e)) == .keyInvalid)
    #expect(refusal(.rsa(modulus: [], exponent: rsa.e)) == .keyInvalid)
    #expect(
      TestSupport.refusal { try PrivateKey.generate(.rsa(bits: 1024)) } == .keyInvalid)
  }

  @Test func `when its exponent is even, below 3 or above 2^32`() {
    for exponent in [[], [1], [2], [0], [1, 0, 0], [1, 0, 0, 0, 1], [0, 1, 0, 1], Array(repeating: 1, count: 256)]
      as [[UInt8]]
    {
      #expect(refusal(.rsa(modulus: rsa.n, exponent: exponent)) == .keyInvalid, "\(exponent)")
    }
    #expect(refusal(.rsa(modulus: rsa.n, exponent: [3])) == nil)
    #expect(refusal(.rsa(modulus: rsa.n, exponent: [0xFF, 0xFF, 0xFF, 0xFF])) == nil)
  }

  @Test func `when it has the fingerprint of a faulty generator (ROCA)`() {
    // The 128th power of 65537 is a power of 65537 modulo every number. Multiplying by 65537 is x · 2¹⁶ + x.
    var power: [UInt8] = [1]
    for _ in 0..<128 {
      var carry = 0
      let padded = [0, 0, 0] + power
      let shifted = [0] + power + [0, 0]
      let digits = zip(padded, shifted).reversed().map { left, right in
        carry += Int(left) + Int(right)
        defer { carry >>= 8 }
        return UInt8(carry & 0xFF)
      }
      power = Array(digits.reversed().drop { $0 == 0 })
    }
    #expect(power.count == 257)
    #expect(refusal(.rsa(modulus: power, exponent: rsa.e)) == .keyInvalid)
    #expect(refusal(.rsa(modulus: power.dropLast() + [3], exponent: rsa.e)) == nil)
  }

  @Test func `when its point is not on the curve, or not whole`() throws {
    guard case .ec(_, let x, let y) = try PrivateKey.generate(.p256).publicKey.parameters else { return }
    let zero = Array(repeating: UInt8(0), count: 32)
    #expect(refusal(.ec(.p256, x: x, y: y)) == nil)
    #expect(refusal(.ec(.p256, x: x, y: x)) == .keyInvalid)
    #expect(refusal(.ec(.p256, x: zero, y: zero)) == .keyInvalid)
    #expect(refusal(.ec(.p256, x: Array(x.dropLast()), y: y)) == .keyInvalid)
    #expect(refusal(.ec(.p256, x: [0] + x, y: y)) == .keyInvalid)
    #expect(refusal(.ec(.p256, x: [], y: [])) == .keyInvalid)
    #expect(refusal(.ec(.p256, x: Array(repeating: 0xFF, count: 32), y: y)) == .keyInvalid)
  }

  @Test func `when it is of small order, not canonical, or not 32 bytes`() throws {
    let zeros = Array(repeating: UInt8(0), count: 31)
    let identity = [1] + zeros
    let ones = Array(repeating: UInt8(0xFF), count: 30)
    let order8 = bytes(hex: "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
    let otherOrder8 = bytes(hex: "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")
    for key in [
      identity, [1] + zeros.dropLast() + [0x80], [0] + zeros, [0xEC] + ones + [0x7F], [0xED] + ones + [0x7F],
      [0xEE] + ones + [0xFF], [0xFF] + ones + [0xFF], order8, order8.dropLast() + [0x85], otherOrder8,
    ] {
      #expect(refusal(.okp(.ed25519, key)) == .keyInvalid, "\(key)")
    }
    #expect(refusal(.okp(.ed25519, zeros)) == .keyInvalid)
    #expect(refusal(.okp(.ed25519, [])) == .keyInvalid)
  }

  @Test func `when its two halves do not belong together`() throws {
    let first = try PrivateKey.generate(.p256).revealedParameters()
    let second = try PrivateKey.generate(.p256).revealedParameters()
    guard case .ec(_, let x, let y, _) = first, case .ec(_, _, _, let d) = second else { return }
    #expect(
      TestSupport.refusal { try PrivateKey(.ec(.p256, x: x, y: y, d: d)) } == .keyInvalid)
    let third = try PrivateKey.generate(.ed25519).revealedParameters()
    let fourth = try PrivateKey.generate(.ed25519).revealedParameters()
    guard case .okp(_, let publicKey, _) = third, case .okp(_, _, let seed) = fourth else { return }
    #expect(
      TestSupport.refusal {
        try PrivateKey(.okp(.ed25519, publicKey: publicKey, privateKey: seed))
      } == .keyInvalid)
    guard case .rsa(var numbers) = try PrivateKey.generate(.rsa(bits: 2048)).revealedParameters() else { return }
    var dp = numbers.dp.revealed
    dp[5] ^= 1
    numbers.dp = SecretBytes(dp)
    #expect(TestSupport.refusal { try PrivateKey(.rsa(numbers)) } == .keyInvalid)
  }

  @Test func `when it is a shared secret that is short, empty, or known to everybody`() throws {
    func refusal(_ bytes: [UInt8]) -> AuthError.Code? {
      TestSupport.refusal { try SecretKey(bytes) }
    }
    #expect(refusal(Array(repeating: 1, count: 15)) == .keyInvalid)
    #expect(refusal([]) == .keyInvalid)
    #expect(refusal(Array(repeating: 1, count: 16)) == nil)
    #expect(refusal(Array("\n -----BEGIN CERTIFICATE-----xxxxxxxxxxxxxxxx".utf8)) == .keyInvalid)
    #expect(refusal(Array("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAxxxxxxxxxxxx".utf8)) == .keyInvalid)
    #expect(refusal(Array(#" {"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#.utf8)) == .keyInvalid)
    #expect(refusal(Array(#"{"keys":[{"kty":"OKP","crv":"Ed25519"}]}"#.utf8)) == .keyInvalid)
    #expect(refusal(Array(#"{"this is a pass phrase": "and a long one"}"#.utf8)) == nil)
  }
}
