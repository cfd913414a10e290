import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Two encodings of the same letter are two names, wherever other parties sign or name something.
struct `A name` {
  private static let one = "caf\u{E9}"
  private static let other = "cafe\u{301}"
  private static let spellings = [(one, other), (other, one)]

  @Test func `has two spellings that Swift takes for equal, or these tests would say nothing`() {
    #expect(Self.one == Self.other)
  }

  /// The error with which a policy that checks something rejects a token with one claim.
  private func refusal(
    _ claim: String, _ value: JSONValue, _ change: (inout VerificationPolicy) -> Void
  ) throws -> AuthError.Code? {
    var policy = VerificationPolicy(algorithms: [.RS256])
    change(&policy)
    let verifier = TokenVerifier(keys: TokenScene.keys, policy: policy)
    return try TokenScene.refusal(of: TokenScene.claims(claim, value), by: verifier)
  }

  @Test(arguments: spellings)
  func `of an issuer, an audience or a party is its bytes`(right: String, wrong: String) throws {
    for (spelling, isRight) in [(right, true), (wrong, false)] {
      let text = JSONValue.string(spelling)
      #expect(try refusal("iss", text) { $0.issuer = right } == (isRight ? nil : .issuerMismatch))
      #expect(try refusal("aud", text) { $0.audience = right } == (isRight ? nil : .audienceMismatch))
      #expect(try refusal("aud", ["x", text]) { $0.audience = right } == (isRight ? nil : .audienceMismatch))
      #expect(try refusal("azp", text) { $0.authorizedParty = right } == (isRight ? nil : .audienceMismatch))
    }
  }

  @Test(arguments: spellings)
  func `of an issuer may be written with escapes, which are no other spelling`(right: String, wrong: String) throws {
    let policy = VerificationPolicy(algorithms: [.RS256], issuer: right)
    let verifier = TokenVerifier(keys: TokenScene.keys, policy: policy)
    for (spelling, escaped) in [(Self.one, #"caf\u00e9"#), (Self.other, #"cafe\u0301"#)] {
      let token = try TokenScene.signed(payload: "{\"iss\":\"\(escaped)\",\"exp\":1800000000}")
      let isRight = spelling.utf8.elementsEqual(right.utf8)
      #expect(TokenScene.refusal(of: token, by: verifier) == (isRight ? nil : .issuerMismatch))
    }
  }

  @Test(arguments: spellings)
  func `of a key is its bytes`(right: String, wrong: String) throws {
    let keys = try JWKSet([
      JWK(.publicKey(TokenScene.rsa.publicKey), keyID: right), JWK(.publicKey(TokenScene.p256.publicKey), keyID: "x"),
    ])
    let policy = VerificationPolicy(algorithms: [.RS256, .ES256])
    let verifier = TokenVerifier(keys: keys, policy: policy)
    func token(_ keyID: String) throws -> String {
      try TokenSigner(key: TokenScene.rsa, keyID: keyID).sign(TokenScene.claims)
    }
    #expect(try TokenScene.refusal(of: token(right), by: verifier) == nil)
    #expect(try TokenScene.refusal(of: token(wrong), by: verifier) == .unknownKey)
    let both = try JWKSet([
      JWK(.publicKey(TokenScene.rsa.publicKey), keyID: right),
      JWK(.publicKey(TokenScene.stranger.publicKey), keyID: wrong),
    ])
    let two = TokenVerifier(keys: both, policy: policy)
    #expect(try TokenScene.refusal(of: token(right), by: two) == nil)
    #expect(try TokenScene.refusal(of: token(wrong), by: two) == .signatureInvalid)
  }

  @Test(arguments: spellings)
  func `of a claim is its bytes`(right: String, wrong: String) throws {
    let token = try TokenScene.verifier.verify(
      TokenScene.signed(TokenScene.claims(right, 1)), at: TokenScene.now)
    #expect(token[right]?.integer == 1)
    #expect(token[wrong] == nil)
    #expect(token.claims[wrong] == nil)
    for name in [right, wrong] {
      let code = try refusal(right, 1) { $0.requiredClaims = [name] }
      #expect(code == (name.utf8.elementsEqual(right.utf8) ? nil : .claimInvalid))
    }
    // Longer than the prefix that is compared first.
    let long = String(repeating: "x", count: 20)
    #expect(try refusal(long + right, 1) { $0.requiredClaims = [long + right] } == nil)
    #expect(try refusal(long + right, 1) { $0.requiredClaims = [long + wrong] } == .claimInvalid)
    let both = try TokenScene.signed(payload: "{\"\(right)\":1,\"\(wrong)\":2,\"exp\":1800000000}")
    let verifier = TokenVerifier(keys: TokenScene.keys, policy: VerificationPolicy(algorithms: [.RS256]))
    #expect(try verifier.verify(both, at: TokenScene.now)[wrong]?.integer == 2)
  }

  @Test(arguments: spellings)
  func `of a user is its bytes, when he is revoked or forgotten`(right: String, wrong: String) throws {
    let cache = TokenCache()
    let revocations = TokenRevocations(clocks: FixedClocks())
    let verifier = try CachedTokenVerifier(TokenScene.verifier, cache: cache, revocations: revocations)
    let now = ClockReading(wall: TokenScene.now, boot: 1000, bootID: "b")
    func refusal(_ subject: String) throws -> AuthError.Code? {
      let token = try TokenScene.signed(TokenScene.claims("sub", .string(subject)))
      return TestSupport.refusal { try verifier.verify(token, at: now) }
    }
    #expect(try refusal(right) == nil)
    #expect(try refusal(wrong) == nil)
    #expect(cache.statistics.tokens == 2)
    cache.invalidate(subject: right)
    #expect(cache.statistics.tokens == 1)
    try revocations.revoke(subject: right, before: TokenScene.now)
    #expect(try refusal(right) == .tokenRevoked)
    #expect(try refusal(wrong) == nil)
    try revocations.revoke(subject: wrong, before: TokenScene.now)
    #expect(revocations.count == 2)
    #expect(try refusal(wrong) == .tokenRevoked)
  }

  @Test(arguments: spellings)
  func `of a key is its bytes, when its tokens are forgotten`(right: String, wrong: String) throws {
    let keys = try JWKSet([
      JWK(.publicKey(TokenScene.rsa.publicKey), keyID: right), JWK(.publicKey(TokenScene.rsa.publicKey), keyID: wrong),
    ])
    let cache = TokenCache()
    let plain = TokenVerifier(keys: keys, policy: VerificationPolicy(algorithms: [.RS256]))
    let verifier = try CachedTokenVerifier(plain, cache: cache)
    let now = ClockReading(wall: TokenScene.now, boot: 1000, bootID: "b")
    for keyID in [right, wrong] {
      _ = try verifier.verify(TokenSigner(key: TokenScene.rsa, keyID: keyID).sign(TokenScene.claims), at: now)
    }
    #expect(cache.statistics.tokens == 2)
    cache.invalidate(keyID: right)
    #expect(cache.statistics.tokens == 1)
    cache.invalidate(keyID: right)
    #expect(cache.statistics.tokens == 1)
  }

  @Test(arguments: spellings)
  func `gives two policies two caches`(right: String, wrong: String) throws {
    let cache = TokenCache()
    let now = ClockReading(wall: TokenScene.now, boot: 1000, bootID: "b")
    func verifier(_ audience: String) throws -> CachedTokenVerifier {
      let policy = VerificationPolicy(algorithms: [.RS256], audience: audience)
      return try CachedTokenVerifier(TokenVerifier(keys: TokenScene.keys, policy: policy), cache: cache)
    }
    let token = try TokenScene.signed(TokenScene.claims("aud", .string(right)))
    let (same, another) = (try verifier(right), try verifier(wrong))
    _ = try same.verify(token, at: now)
    #expect(
      TestSupport.refusal { try another.verify(token, at: now) } == .audienceMismatch)
  }

  @Test(arguments: spellings)
  func `of a member of a key is its bytes`(right: String, wrong: String) throws {
    let jwk = try JWK(.publicKey(TokenScene.p256.publicKey), keyID: right)
    #expect(try JWK(parsing: jwk.json.serialized()).keyID?.utf8.elementsEqual(right.utf8) == true)
    let text = "{\"kty\":\"oct\",\"k\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"\(right)\":1,\"\(wrong)\":2}"
    #expect(TestSupport.refusal { try JWK(parsing: text.utf8) } == nil)
    let twice = "{\"kty\":\"oct\",\"k\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"\(right)\":1,\"\(right)\":2}"
    #expect(
      TestSupport.refusal { try JWK(parsing: twice.utf8) } == .jsonDuplicateMember)
  }
}
