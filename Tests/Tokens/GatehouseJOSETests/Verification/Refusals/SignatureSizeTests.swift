import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Signatures of every curve and size that differ from a valid one by one change; `A signature` has the first of each.
struct `A signature of any size` {
  /// The error with which a token with a changed signature is rejected.
  private func refusal(
    _ key: JWK.Key, _ algorithm: JWSAlgorithm, _ change: ([UInt8]) -> [UInt8]
  ) throws -> AuthError.Code? {
    let jwk = try JWK(key, keyID: "k")
    let set = try JWKSet([jwk.publicJWK ?? jwk])
    let verifier = TokenVerifier(keys: set, policy: VerificationPolicy(algorithms: [algorithm]))
    let parts = try TokenSigner(jwk, algorithm: algorithm).sign(TokenScene.claims).split(separator: ".")
    let signature = change(try Base64URL.decode(String(parts[2])))
    return TokenScene.refusal(of: "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))", by: verifier)
  }

  @Test(arguments: [
    (JWSAlgorithm.ES256, Curve.p256), (.ES384, .p384), (.ES512, .p521), (.ES256K, .secp256k1),
  ])
  func `of ECDSA is two numbers above zero and below the order (group 14)`(
    algorithm: JWSAlgorithm, curve: Curve
  ) throws {
    let key = SigningKeys.key(for: algorithm)
    let order = curve.order
    let half = order.count
    func refusal(_ change: ([UInt8]) -> [UInt8]) throws -> AuthError.Code? { try self.refusal(key, algorithm, change) }
    func number(_ last: UInt8) -> [UInt8] { Array(repeating: 0, count: half - 1) + [last] }

    #expect(try refusal { $0 } == nil)
    for wrong in [number(0), order, order.plus(number(1)), Array(repeating: 0xFF, count: half)] {
      #expect(try refusal { wrong + $0.suffix(half) } == .signatureInvalid)
      #expect(try refusal { $0.prefix(half) + wrong } == .signatureInvalid)
      #expect(try refusal { _ in wrong + wrong } == .signatureInvalid)
    }
    // In range, but not the signature of any key.
    #expect(try refusal { _ in number(1) + number(1) } == .signatureInvalid)
    #expect(try refusal { _ in order.minus(number(1)) + order.minus(number(1)) } == .signatureInvalid)
    for length in [0, 1, half, 2 * half - 1] {
      let code = try refusal { Array($0.prefix(length)) }
      #expect(code == (length == 0 ? .tokenMalformed : .signatureInvalid), "\(length) bytes")
    }
    #expect(try refusal { $0 + [0] } == .signatureInvalid)
    #expect(try refusal { [0] + $0 } == .signatureInvalid)
    #expect(try refusal { [0] + $0.prefix(half) + [0] + $0.suffix(half) } == .signatureInvalid)
    #expect(try refusal { Array($0.prefix(half).dropFirst() + $0.suffix(half).dropFirst()) } == .signatureInvalid)
    #expect(try refusal { der($0.prefix(half), $0.suffix(half)) } == .signatureInvalid)
    // The other s of the same signature is also valid.
    #expect(try refusal { $0.prefix(half) + order.minus(Array($0.suffix(half))) } == nil)
  }

  @Test(
    arguments: [TokenScene.rsa, SigningKeys.rsa3072, SigningKeys.rsa4096],
    [JWSAlgorithm.RS256, .RS384, .RS512, .PS256, .PS384, .PS512])
  func `of RSA is as long as the modulus and below it, by one hash (group 15)`(
    key: PrivateKey, algorithm: JWSAlgorithm
  ) throws {
    guard case .rsa(let modulus, _) = key.publicKey.parameters else { return }
    func refusal(_ change: ([UInt8]) -> [UInt8]) throws -> AuthError.Code? {
      try self.refusal(.privateKey(key), algorithm, change)
    }
    #expect(try refusal { $0 } == nil)
    #expect(try refusal { [0] + $0 } == .signatureInvalid)
    #expect(try refusal { $0 + [0] } == .signatureInvalid)
    #expect(try refusal { Array($0.dropFirst()) } == .signatureInvalid)
    #expect(try refusal { Array($0.dropLast()) } == .signatureInvalid)
    let zero = Array(repeating: UInt8(0), count: modulus.count)
    let one: [UInt8] = zero.dropLast() + [1]
    for number in [modulus, zero, one, modulus.minus(one), zero.map { ~$0 }] {
      #expect(try refusal { _ in number } == .signatureInvalid)
    }
    // The same number in another encoding, where it fits.
    #expect(try refusal { $0[0] < 0x40 ? modulus.plus($0) : modulus } == .signatureInvalid)
  }

  @Test(arguments: [(JWSAlgorithm.EdDSA, Curve.ed25519), (.Ed25519, .ed25519), (.Ed448, .ed448)])
  func `of the Edwards curves has one spelling (group 16)`(algorithm: JWSAlgorithm, curve: Curve) throws {
    let key = SigningKeys.key(for: algorithm)
    let order = Array(curve.order.reversed())
    let half = order.count
    func refusal(_ change: ([UInt8]) -> [UInt8]) throws -> AuthError.Code? { try self.refusal(key, algorithm, change) }

    #expect(try refusal { $0 } == nil)
    for length in [1, half, 2 * half - 1] { #expect(try refusal { Array($0.prefix(length)) } == .signatureInvalid) }
    #expect(try refusal { $0 + [0] } == .signatureInvalid)
    #expect(try refusal { _ in Array(repeating: 0, count: 2 * half) } == .signatureInvalid)
    for number in [order, Array(repeating: 0xFF, count: half)] {
      #expect(try refusal { $0.prefix(half) + number } == .signatureInvalid)
    }
    #expect(
      try refusal { signature in
        signature.prefix(half) + Array(signature.suffix(half).reversed()).plus(curve.order).reversed()
      } == .signatureInvalid)
    // An R that is the neutral point, and one that is not a point in its only encoding.
    #expect(try refusal { [1] + Array(repeating: 0, count: half - 1) + $0.suffix(half) } == .signatureInvalid)
    #expect(try refusal { Array(repeating: 0xFF, count: half) + $0.suffix(half) } == .signatureInvalid)
  }

  @Test func `of Ed448 is not one of Ed25519, though both are EdDSA (group 16)`() throws {
    let long = try JWK(.publicKey(SigningKeys.ed448.publicKey), keyID: "k")
    let short = try TokenSigner(key: TokenScene.ed25519, algorithm: .EdDSA, keyID: "k").sign(TokenScene.claims)
    let verifier = TokenVerifier(keys: try JWKSet([long]), policy: VerificationPolicy(algorithms: [.EdDSA]))
    #expect(TokenScene.refusal(of: short, by: verifier) == .signatureInvalid)
  }

  @Test(arguments: [JWSAlgorithm.HS256, .HS384, .HS512])
  func `of HMAC is the whole tag (group 17)`(algorithm: JWSAlgorithm) throws {
    let key = SigningKeys.key(for: algorithm)
    let length = try #require(algorithm.mac?.length)
    func refusal(_ change: ([UInt8]) -> [UInt8]) throws -> AuthError.Code? { try self.refusal(key, algorithm, change) }
    #expect(try refusal { $0 } == nil)
    for cut in [1, 10, 16, 32, 48, length / 2, length - 1] where cut < length {
      #expect(try refusal { Array($0.prefix(cut)) } == .signatureInvalid, "\(cut) bytes")
    }
    #expect(try refusal { $0 + [0] } == .signatureInvalid)
    #expect(try refusal { $0 + $0 } == .signatureInvalid)
    for place in [0, length / 2, length - 1] {
      #expect(
        try refusal { tag in tag.enumerated().map { $0 == place ? $1 ^ 0x80 : $1 } } == .signatureInvalid)
    }
    #expect(try refusal { _ in Array(repeating: 0, count: length) } == .signatureInvalid)
  }

  /// A signature in OpenSSL's encoding.
  private func der(_ r: ArraySlice<UInt8>, _ s: ArraySlice<UInt8>) -> [UInt8] {
    let numbers = [r, s].flatMap { number in
      let digits = number.drop { $0 == 0 }
      let signed = (digits.first ?? 0) >= 0x80 ? [0] + digits : Array(digits)
      return [2, UInt8(signed.count)] + signed
    }
    return [0x30] + (numbers.count >= 0x80 ? [0x81] : []) + [UInt8(numbers.count)] + numbers
  }
}
