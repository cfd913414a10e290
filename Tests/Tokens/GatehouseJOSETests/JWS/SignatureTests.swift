import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Signatures that differ from a valid one by one change; see also Wycheproof's.
struct `A signature` {
  private static let policy = VerificationPolicy(algorithms: Set(JWSAlgorithm.allCases))
  private static let verifier = TokenVerifier(keys: TokenScene.keys, policy: policy)

  /// The error with which a token with a changed signature is rejected.
  private func refusal(
    _ signer: TokenSigner, by verifier: TokenVerifier = verifier, _ change: ([UInt8]) -> [UInt8]
  ) throws -> AuthError.Code? {
    let parts = try signer.sign(TokenScene.claims).split(separator: ".")
    let signature = change(try Base64URL.decode(String(parts[2])))
    return TokenScene.refusal(of: "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))", by: verifier)
  }

  @Test func `of ECDSA is two numbers of 32 bytes, above zero and below the order (group 14)`() throws {
    let signer = try TokenSigner(key: TokenScene.p256, keyID: "p256")
    let zero = Array(repeating: UInt8(0), count: 32)
    let order = bytes(hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    #expect(try refusal(signer) { $0 } == nil)
    for number in [zero, order, order.dropLast() + [0x52], Array(repeating: 0xFF, count: 32)] as [[UInt8]] {
      #expect(try refusal(signer) { number + $0.suffix(32) } == .signatureInvalid)
      #expect(try refusal(signer) { $0.prefix(32) + number } == .signatureInvalid)
      #expect(try refusal(signer) { _ in number + number } == .signatureInvalid)
    }
    #expect(try refusal(signer) { Array($0.dropLast()) } == .signatureInvalid)
    #expect(try refusal(signer) { $0 + [0] } == .signatureInvalid)
    #expect(try refusal(signer) { [0] + $0.prefix(32) + [0] + $0.suffix(32) } == .signatureInvalid)
    #expect(
      try refusal(signer) { [0x30, 0x44, 2, 32] + $0.prefix(32) + [2, 32] + $0.suffix(32) } == .signatureInvalid)
    // The other s of the same signature is also valid (RFC 7518 does not forbid it): never use a signature as an
    // identifier.
    #expect(try refusal(signer) { $0.prefix(32) + order.minus(Array($0.suffix(32))) } == nil)
  }

  @Test func `of RSA is as long as the modulus and below it (group 15)`() throws {
    let signer = try TokenSigner(key: TokenScene.rsa, keyID: "rsa")
    #expect(try refusal(signer) { $0 } == nil)
    #expect(try refusal(signer) { [0] + $0 } == .signatureInvalid)
    #expect(try refusal(signer) { $0 + [0] } == .signatureInvalid)
    #expect(try refusal(signer) { Array($0.dropFirst()) } == .signatureInvalid)
    #expect(try refusal(signer) { Array(repeating: 0xFF, count: $0.count) } == .signatureInvalid)
    #expect(try refusal(signer) { Array(repeating: 0, count: $0.count) } == .signatureInvalid)
    #expect(try refusal(signer) { Array(repeating: 0, count: $0.count - 1) + [1] } == .signatureInvalid)
    guard case .rsa(let modulus, _) = TokenScene.rsa.publicKey.parameters else { return }
    #expect(try refusal(signer) { _ in modulus } == .signatureInvalid)
  }

  @Test func `of Ed25519 has 64 bytes and is not malleable (group 16)`() throws {
    let signer = try TokenSigner(key: TokenScene.ed25519, keyID: "ed25519")
    let order = bytes(hex: "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
    #expect(try refusal(signer) { $0 } == nil)
    #expect(try refusal(signer) { Array($0.dropLast()) } == .signatureInvalid)
    #expect(try refusal(signer) { $0 + [0] } == .signatureInvalid)
    #expect(try refusal(signer) { _ in Array(repeating: 0, count: 64) } == .signatureInvalid)
    #expect(
      try refusal(signer) { $0.prefix(32) + Array($0.suffix(32).reversed()).plus(order.reversed()).reversed() }
        == .signatureInvalid)
    for number in [order, Array(repeating: 0xFF, count: 32)] {
      #expect(try refusal(signer) { $0.prefix(32) + number } == .signatureInvalid)
    }
  }

  @Test func `of HMAC is the whole tag (group 17)`() throws {
    let key = try SecretKey.generate()
    let signer = try TokenSigner(key: key, keyID: "s")
    let verifier = TokenVerifier(keys: try JWKSet([JWK(.symmetric(key), keyID: "s")]), policy: Self.policy)
    #expect(try refusal(signer, by: verifier) { $0 } == nil)
    for length in [1, 16, 31] {
      #expect(try refusal(signer, by: verifier) { Array($0.prefix(length)) } == .signatureInvalid)
    }
    #expect(try refusal(signer, by: verifier) { $0 + [0] } == .signatureInvalid)
    #expect(try refusal(signer, by: verifier) { $0.dropLast() + [$0[31] ^ 1] } == .signatureInvalid)
  }

  @Test func `is verified by many threads with one verifier`() async throws {
    let tokens = try [("rsa", TokenScene.rsa), ("p256", TokenScene.p256), ("ed25519", TokenScene.ed25519)]
      .map { try TokenSigner(key: $0.1, keyID: $0.0).sign(TokenScene.claims) }
    let accepted = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<30).count { TokenScene.refusal(of: tokens[$0 % tokens.count], by: Self.verifier) == nil }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(accepted == 240)
  }
}
