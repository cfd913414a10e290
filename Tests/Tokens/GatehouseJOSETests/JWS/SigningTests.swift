import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `A signer` {
  private static func key(for algorithm: JWSAlgorithm) throws -> JWK.Key {
    switch algorithm {
    case .HS256, .HS384, .HS512: .symmetric(try SecretKey.generate(count: 64))
    case .RS256, .RS384, .RS512, .PS256, .PS384, .PS512: .privateKey(TokenScene.rsa)
    case .ES256: .privateKey(TokenScene.p256)
    case .ES384: .privateKey(try PrivateKey.generate(.p384))
    case .ES512: .privateKey(try PrivateKey.generate(.p521))
    case .ES256K: .privateKey(try PrivateKey.generate(.secp256k1))
    case .EdDSA, .Ed25519: .privateKey(TokenScene.ed25519)
    case .Ed448: .privateKey(try PrivateKey.generate(.ed448))
    }
  }

  @Test(arguments: JWSAlgorithm.allCases)
  func `makes tokens that a verifier accepts`(algorithm: JWSAlgorithm) throws {
    let jwk = try JWK(Self.key(for: algorithm), keyID: "k", algorithm: algorithm)
    let token = try TokenSigner(jwk).sign(TokenScene.claims)
    let set = try JWKSet([jwk.publicJWK ?? jwk])
    let verifier = TokenVerifier(keys: set, policy: VerificationPolicy(algorithms: [algorithm], audience: "demo"))
    let verified = try verifier.verify(token, at: TokenScene.now)
    #expect(verified.claims == TokenScene.claims)
    #expect(verified.header.members == ["alg": .string(algorithm.rawValue), "kid": "k", "typ": "JWT"])
    for place in token.indices where token[place] != "." {
      guard place == token.startIndex || token[token.index(before: place)] == "." else { continue }
      var changed = token
      changed.replaceSubrange(place...place, with: token[place] == "e" ? "f" : "e")
      #expect(TokenScene.refusal(of: changed, by: verifier) != nil)
    }
  }

  @Test func `refuses algorithms that its key does not sign with`() throws {
    for algorithm in JWSAlgorithm.allCases where algorithm.signature(for: TokenScene.rsa.type) == nil {
      #expect(
        refusal { try TokenSigner(key: TokenScene.rsa, algorithm: algorithm) }
          == .algorithmRefused)
    }
    let publicKey = try JWK(.publicKey(TokenScene.rsa.publicKey))
    #expect(refusal { try TokenSigner(publicKey) } == .algorithmRefused)
    let verifyOnly = try JWK(.privateKey(TokenScene.rsa), operations: ["verify"])
    #expect(refusal { try TokenSigner(verifyOnly) } == .algorithmRefused)
    let encryption = try JWK(.privateKey(TokenScene.rsa), use: "enc")
    #expect(refusal { try TokenSigner(encryption) } == .algorithmRefused)
  }

  @Test func `lets an unverified token be read, and no more`() throws {
    let token = try UnverifiedToken(TokenSigner(key: TokenScene.stranger, keyID: "x").sign(TokenScene.claims))
    #expect(token.expiry == Date(wall: 1_700_003_500))
    #expect(token.issuedAt == Date(wall: 1_699_999_900))
    #expect(token.header.algorithm == "RS256")
    #expect(token.audience == ["demo"])
    #expect(refusal { try UnverifiedToken("e30.e30.") } == .tokenMalformed)
    let absurd = try UnverifiedToken(
      TokenSigner(key: TokenScene.rsa).sign(["exp": .number(#require(JSONNumber(1e300)))]))
    #expect(absurd.expiry == nil)
  }
}
