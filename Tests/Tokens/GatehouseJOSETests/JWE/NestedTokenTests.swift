import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `A nested token` {
  private static let encrypter = EncryptionScene.made {
    try EncryptionScene.encrypter("p256", .ECDHESA256KW, .A256GCM)
  }
  private static let verifier = NestedTokenVerifier(
    decrypter: EncryptionScene.decrypter, verifier: TokenScene.verifier)

  private static func refusal(of message: String, at now: Double = TokenScene.now) -> AuthError.Code? {
    TestSupport.refusal { try verifier.verify(message, at: now) }
  }

  @Test func `is decrypted and verified, both`() throws {
    let message = try Self.encrypter.encrypt(token: TokenScene.signed())
    let token = try Self.verifier.verify(message, at: TokenScene.now)
    #expect(token.subject == "user-1")
    #expect(token.header.algorithm == "RS256")
    #expect(try EncryptionScene.decrypter.decrypt(message).header["cty"] == "JWT")
    #expect(Self.refusal(of: message, at: TokenScene.now + 1_000_000) == .tokenExpired)
    // The current time is long after the token's expiry.
    #expect(TestSupport.refusal { try Self.verifier.verify(message) } == .tokenExpired)
  }

  @Test func `is refused if it is only signed, or only encrypted (group 21)`() throws {
    #expect(try Self.refusal(of: TokenScene.signed()) == .tokenMalformed)
    let claims = TokenScene.claims.serialized()
    #expect(try Self.refusal(of: Self.encrypter.encrypt(claims, type: "JWT")) == .typeMismatch)
    #expect(try Self.refusal(of: Self.encrypter.encrypt(Array("{}".utf8), contentType: "JWT")) == .tokenMalformed)
    #expect(try Self.refusal(of: Self.encrypter.encrypt([0xFF], contentType: "JWT")) == .tokenMalformed)
  }

  @Test func `is refused unless the message says that it contains one`() throws {
    let signed = Array(try TokenScene.signed().utf8)
    for type in [nil, "", "text/plain", "JW", "at+jwt"] as [String?] {
      #expect(try Self.refusal(of: Self.encrypter.encrypt(signed, contentType: type)) == .typeMismatch)
    }
    for type in ["JWT", "jwt", "application/jwt"] {
      #expect(try Self.refusal(of: Self.encrypter.encrypt(signed, contentType: type)) == nil)
    }
  }

  @Test func `is refused if the token inside would be refused outside`() throws {
    let stranger = try TokenSigner(key: TokenScene.stranger, keyID: "rsa").sign(TokenScene.claims)
    #expect(try Self.refusal(of: Self.encrypter.encrypt(token: stranger)) == .signatureInvalid)
    let unsigned = Base64URL.encode("{\"alg\":\"none\"}".utf8) + ".e30."
    #expect(try Self.refusal(of: Self.encrypter.encrypt(token: unsigned)) == .tokenMalformed)
    let other = try TokenScene.signed(TokenScene.claims("aud", "other"))
    #expect(try Self.refusal(of: Self.encrypter.encrypt(token: other)) == .audienceMismatch)
  }

  @Test func `is refused if it contains yet another one`() throws {
    let twice = try Self.encrypter.encrypt(token: Self.encrypter.encrypt(token: TokenScene.signed()))
    #expect(Self.refusal(of: twice) == .tokenMalformed)
    let inner = try TokenScene.signed(
      payload: TokenScene.signed(), header: TokenScene.header("cty", "JWT"))
    #expect(try Self.refusal(of: Self.encrypter.encrypt(token: inner)) == .typeMismatch)
  }
}
