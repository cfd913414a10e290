import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `Claims that were only encrypted` {
  private static let rules = {
    var rules = VerificationPolicy(
      algorithms: [], issuer: "https://securetoken.google.com/demo", audience: "demo", leeway: .zero)
    rules.requiredClaims = ["exp", "sub"]
    return rules
  }()

  private static func token(
    _ claims: JSONObject = TokenScene.claims, type: String? = "JWT", contentType: String? = nil
  ) throws -> String {
    try EncryptionScene.encrypter("32 bytes", .dir, .A256GCM)
      .encrypt(claims.serialized(), type: type, contentType: contentType)
  }

  private static func refusal(
    of token: String, rules: VerificationPolicy = rules, at now: Double = TokenScene.now
  ) -> AuthError.Code? {
    let decrypter = ClaimsDecrypter(decrypter: EncryptionScene.decrypter, rules: rules)
    return TestSupport.refusal { try decrypter.decrypt(token, at: Date(wall: now)) }
  }

  @Test func `are read if they satisfy the rules`() throws {
    let decrypter = ClaimsDecrypter(decrypter: EncryptionScene.decrypter, rules: Self.rules)
    let token = try Self.token()
    let claims = try decrypter.decrypt(token, at: Date(wall: TokenScene.now))
    #expect(claims.claims == TokenScene.claims && claims.subject == "user-1")
    #expect(claims.header.algorithm == "dir" && claims["sub"] == "user-1")
    struct Visitor: Decodable { var sub: String }
    #expect(try claims.decode(Visitor.self).sub == "user-1")
    // By the clocks of the rules, the token expired long ago.
    #expect(TestSupport.refusal { try decrypter.decrypt(token) } == .tokenExpired)
  }

  @Test func `are refused by the same rules as those of a signed token`() throws {
    #expect(try Self.refusal(of: Self.token(TokenScene.claims("iss", "https://other.example"))) == .issuerMismatch)
    #expect(try Self.refusal(of: Self.token(TokenScene.claims("aud", "other"))) == .audienceMismatch)
    #expect(try Self.refusal(of: Self.token(TokenScene.claims("exp", nil))) == .claimInvalid)
    #expect(try Self.refusal(of: Self.token(TokenScene.claims("sub", nil))) == .claimInvalid)
    #expect(try Self.refusal(of: Self.token(TokenScene.claims("exp", "soon"))) == .claimInvalid)
    #expect(try Self.refusal(of: Self.token(), at: 1_700_003_500) == .tokenExpired)
    #expect(try Self.refusal(of: Self.token(), at: 1_699_999_899) == .tokenNotYetValid)
    #expect(try Self.refusal(of: Self.token(type: "at+jwt")) == .typeMismatch)
    var rules = Self.rules
    rules.type = .accessToken
    #expect(try Self.refusal(of: Self.token(type: "at+jwt"), rules: rules) == nil)
    rules = Self.rules
    rules.limits.json.members = 3
    #expect(try Self.refusal(of: Self.token(), rules: rules) == .jsonTooLarge)
  }

  @Test func `are refused if they are no claims, or a token of their own`() throws {
    let encrypter = try EncryptionScene.encrypter("32 bytes", .dir, .A256GCM)
    #expect(try Self.refusal(of: encrypter.encrypt(token: TokenScene.signed())) == .typeMismatch)
    #expect(try Self.refusal(of: encrypter.encrypt(Array(TokenScene.signed().utf8), type: "JWT")) == .jsonMalformed)
    #expect(try Self.refusal(of: encrypter.encrypt(Array("[]".utf8))) == .jsonMalformed)
    #expect(try Self.refusal(of: encrypter.encrypt(Array(#"{"exp":1,"exp":2}"#.utf8))) == .jsonDuplicateMember)
  }

  @Test func `are not those of a signed token, and no verifier takes them`() throws {
    #expect(try Self.refusal(of: TokenScene.signed()) == .tokenMalformed)
    #expect(try TokenScene.refusal(of: Self.token()) == .tokenMalformed)
    let nested = NestedTokenVerifier(decrypter: EncryptionScene.decrypter, verifier: TokenScene.verifier)
    let token = try Self.token()
    #expect(TestSupport.refusal { try nested.verify(token) } == .typeMismatch)
  }
}
