import Dispatch
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import TestSupport
import Testing

struct `A signer elsewhere` {
  /// Simulates a hardware module: holds a key, and returns a configured answer.
  private struct Module: Signer {
    let algorithm: JWSAlgorithm
    var keyID: String? = "k"
    let answer: @Sendable (_ message: [UInt8]) throws(AuthError) -> [UInt8]

    func signature(of message: [UInt8]) async throws(AuthError) -> [UInt8] { try answer(message) }
  }

  private func refusal(_ signer: some Signer) async -> AuthError? {
    do {
      _ = try await signer.token(TokenScene.claims)
      return nil
    } catch { return error as? AuthError }
  }

  @Test(arguments: JWSAlgorithm.allCases)
  func `makes tokens that a verifier accepts`(algorithm: JWSAlgorithm) async throws {
    let (own, keys) = try SigningKeys.pair(algorithm)
    let module = Module(algorithm: algorithm) { message throws(AuthError) in try own.signature(of: message) }
    let verifier = TokenVerifier(keys: keys, policy: VerificationPolicy(algorithms: [algorithm]))
    for type in ["JWT", "at+jwt", nil] {
      var policy = VerificationPolicy(algorithms: [algorithm])
      policy.type = type.map(TypeRule.required) ?? .any
      let token = try await module.token(TokenScene.claims, type: type)
      let verified = try TokenVerifier(keys: keys, policy: policy).verify(token, at: TokenScene.now)
      #expect(verified.claims == TokenScene.claims)
      #expect(verified.header.keyID == "k")
    }
    let nameless = Module(algorithm: algorithm, keyID: nil, answer: module.answer)
    let token = try await nameless.token(TokenScene.claims)
    #expect(TokenScene.refusal(of: token, by: verifier) == nil)
    // A signer in this process conforms too.
    #expect(try await TokenScene.refusal(of: (own as any Signer).token(TokenScene.claims), by: verifier) == nil)
  }

  @Test(arguments: [(JWSAlgorithm.ES256, EllipticCurve.p256), (.ES384, .p384), (.ES512, .p521), (.ES256K, .secp256k1)])
  func `that answers DER is told so, and how to mend it`(algorithm: JWSAlgorithm, curve: EllipticCurve) async throws {
    let (own, keys) = try SigningKeys.pair(algorithm)
    let der = Module(algorithm: algorithm) { message throws(AuthError) in
      Self.der(try own.signature(of: message))
    }
    let error = try #require(await refusal(der))
    #expect(error.code == .cryptoFailed)
    #expect(error.message.contains("DER"))
    let mended = Module(algorithm: algorithm) { message throws(AuthError) in
      try typed { try ECDSAEncoding.raw(fromDER: der.answer(message), on: curve) }
    }
    let verifier = TokenVerifier(keys: keys, policy: VerificationPolicy(algorithms: [algorithm]))
    #expect(try await TokenScene.refusal(of: mended.token(TokenScene.claims), by: verifier) == nil)
  }

  @Test(arguments: JWSAlgorithm.allCases)
  func `that answers what is no signature is told so`(algorithm: JWSAlgorithm) async throws {
    for count in [0, 1, 31, 65, 255, 1025] {
      let module = Module(algorithm: algorithm) { _ in Array(repeating: 1, count: count) }
      #expect(await refusal(module)?.code == .cryptoFailed, "\(count) bytes")
    }
  }

  @Test func `fails with its own reason`() async {
    let module = Module(algorithm: .ES256) { _ throws(AuthError) in
      throw AuthError(.networkError, "the module is not there")
    }
    #expect(await refusal(module) == AuthError(.networkError, "the module is not there"))
  }

  @Test @MainActor func `is never called where its caller is`() async {
    let name = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: name, value: true)
    defer { DispatchQueue.main.setSpecific(key: name, value: nil) }
    let module = Module(algorithm: .ES256) { _ in
      #expect(DispatchQueue.getSpecific(key: name) == nil)
      return Array(repeating: 1, count: 64)
    }
    #expect(DispatchQueue.getSpecific(key: name) == true)
    #expect(await refusal(module) == nil)
  }

  /// r and s in the encoding that most modules use.
  private static func der(_ raw: [UInt8]) -> [UInt8] {
    let numbers = [raw.prefix(raw.count / 2), raw.suffix(raw.count / 2)].flatMap { number in
      let digits = number.drop { $0 == 0 }
      let signed = (digits.first ?? 0) >= 0x80 ? [0] + digits : Array(digits)
      return [2, UInt8(signed.count)] + signed
    }
    return [0x30] + (numbers.count >= 0x80 ? [0x81] : []) + [UInt8(numbers.count)] + numbers
  }
}
