import Foundation
import GatehouseBase
import GatehouseJOSE
import GatehouseTesting
import TestSupport
import Testing

/// The verified-token cache: which checks it may skip, and which it never skips.
struct `A verified-token cache` {
  private let cache = TokenCache()
  private let revocations = TokenRevocations(clocks: FixedClocks())
  private let verifier: CachedTokenVerifier

  init() throws {
    verifier = try CachedTokenVerifier(TokenScene.verifier, cache: cache, revocations: revocations)
  }

  /// A reading of both clocks, some seconds after the scene's moment.
  private func after(_ seconds: Double, boot: Double? = nil) -> ClockReading {
    ClockReading(wall: TokenScene.now + seconds, boot: 1000 + (boot ?? seconds), bootID: "b")
  }

  private func refusal(
    _ token: String, _ seconds: Double, boot: Double? = nil, by verifier: CachedTokenVerifier? = nil
  ) -> AuthError.Code? {
    TestSupport.refusal {
      try (verifier ?? self.verifier).verify(token, at: after(seconds, boot: boot))
    }
  }

  @Test func `finds a token that was verified, with everything in it`() throws {
    let token = try TokenScene.signed()
    let first = try verifier.verify(token, at: after(0))
    let second = try verifier.verify(token, at: after(1))
    #expect(second.claims == first.claims)
    #expect(second.header == first.header)
    #expect(cache.statistics.hits == 1)
    #expect(cache.statistics.misses == 1)
    #expect(cache.statistics.tokens == 1)
  }

  @Test func `verifies in full when asked to`() throws {
    let token = try TokenScene.signed()
    for _ in 0..<3 { _ = try verifier.verify(token, at: after(0), freshness: .always) }
    #expect(cache.statistics.hits == 0)
    #expect(cache.statistics.misses == 3)
  }

  @Test func `remembers nothing that was refused`() throws {
    let token = try TokenScene.signed()
    let forged = token.dropLast(4) + "AAAA"
    for _ in 0..<2 { #expect(refusal(String(forged), 0) == .signatureInvalid) }
    #expect(refusal(token, 4000) == .tokenExpired)
    #expect(cache.statistics.tokens == 0)
    #expect(cache.statistics.misses == 0)
  }

  @Test(arguments: [0, 5, 60])
  func `refuses a token that it finds at the very moment when the slow path does`(leeway: Double) throws {
    var policy = TokenScene.verifier.policy
    policy.leeway = .seconds(leeway)
    let slow = TokenVerifier(keys: TokenScene.keys, policy: policy)
    let quick = try CachedTokenVerifier(slow, cache: cache)
    let token = try TokenScene.signed(TokenScene.claims("exp", 1_700_000_010))
    for seconds in [0, 9, 9.999, 10, 10 + leeway - 0.001, 10 + leeway, 10 + leeway + 1] {
      _ = refusal(token, 0, by: quick)
      #expect(
        refusal(token, seconds, boot: 0, by: quick)
          == TokenScene.refusal(of: token, by: slow, at: TokenScene.now + seconds), "\(seconds)")
    }
    #expect(cache.statistics.hits > 3)
  }

  @Test func `refuses a token that it finds when the wall clock goes back before its beginning`() throws {
    var claims = TokenScene.claims("nbf", .number(JSONNumber(1_699_999_950)))
    claims["iat"] = 1_699_999_950
    let token = try TokenScene.signed(claims)
    #expect(refusal(token, 0) == nil)
    #expect(refusal(token, -51, boot: 1) == .tokenNotYetValid)
    #expect(cache.statistics.hits == 0)
  }

  @Test func `remembers no longer than its age by the boot clock, whatever the wall clock shows`() throws {
    let token = try TokenScene.signed()
    #expect(refusal(token, 0) == nil)
    #expect(refusal(token, 0, boot: 59.9) == nil)
    #expect(cache.statistics.hits == 1)
    #expect(refusal(token, 0, boot: 60) == nil)
    #expect(cache.statistics.hits == 1)
    // A lower boot clock belongs to another machine or another boot.
    #expect(refusal(token, 0, boot: -1) == nil)
    #expect(cache.statistics.hits == 1)
  }

  @Test func `remembers no longer than five minutes, whatever it is told`() throws {
    let cache = TokenCache(limits: .init(age: .seconds(1e9)))
    let verifier = try CachedTokenVerifier(TokenScene.verifier, cache: cache)
    let token = try TokenScene.signed()
    #expect(refusal(token, 0, by: verifier) == nil)
    #expect(refusal(token, 299, by: verifier) == nil)
    #expect(cache.statistics.hits == 1)
    #expect(refusal(token, 600, by: verifier) == nil)
    #expect(cache.statistics.hits == 1)
  }

  @Test func `has limits that read back as they are used`() {
    var limits = TokenCache.Limits(tokens: -1, bytes: -1, age: .seconds(1e9))
    #expect(limits == TokenCache.Limits(tokens: 1, bytes: 0, age: .seconds(300)))
    #expect(TokenCache(limits: limits).limits.age == .seconds(300))
    limits.age = .seconds(-1)
    limits.tokens = .min
    limits.bytes = .min
    #expect(limits == TokenCache.Limits(tokens: 1, bytes: 0, age: .zero))
    limits.age = .seconds(301)
    #expect(limits.age == TokenCache.Limits.maximumAge)
    limits.age = .seconds(299)
    #expect(limits.age == .seconds(299))
  }

  @Test func `gives nobody what another verifier has put there`() throws {
    var strict = TokenScene.verifier.policy
    strict.requiredClaims.append("email")
    let other = try CachedTokenVerifier(TokenVerifier(keys: TokenScene.keys, policy: strict), cache: cache)
    let token = try TokenScene.signed()
    #expect(refusal(token, 0) == nil)
    #expect(refusal(token, 0, by: other) == .claimInvalid)
    let fewer = try JWKSet([JWK(.publicKey(TokenScene.stranger.publicKey), keyID: "rsa", algorithm: .RS256)])
    let stranger = try CachedTokenVerifier(
      TokenVerifier(keys: fewer, policy: TokenScene.verifier.policy), cache: cache)
    #expect(refusal(token, 0, by: stranger) == .signatureInvalid)
    // The same key under the same name, for another algorithm.
    let label = try JWKSet(
      [JWK(.publicKey(TokenScene.rsa.publicKey), keyID: "rsa", algorithm: .RS512)] + TokenScene.keys.keys.dropFirst())
    let labelled = try CachedTokenVerifier(
      TokenVerifier(keys: label, policy: TokenScene.verifier.policy), cache: cache)
    #expect(refusal(token, 0, by: labelled) == .algorithmRefused)
    // The same keys with the same rules are the same verifier.
    let twin = try CachedTokenVerifier(
      TokenVerifier(keys: TokenScene.keys, policy: TokenScene.verifier.policy), cache: cache)
    #expect(refusal(token, 0, by: twin) == nil)
    #expect(cache.statistics.hits == 1)
  }

  /// A change for every rule of a policy; a rule that is added to it must be added here.
  private static let otherRules: [@Sendable (inout VerificationPolicy) -> Void] = [
    { $0.algorithms = [.RS256, .RS512] }, { $0.issuer = nil }, { $0.audience = nil }, { $0.authorizedParty = "a" },
    { $0.issuers = [] }, { $0.issuers?.append(.exactly("b")) }, { $0.audiences = [] }, { $0.audiences?.append("b") },
    { $0.checksAuthenticationTime = false },
    { $0.type = .any }, { $0.type = .ifPresent("at+jwt") }, { $0.type = .required("JWT") },
    { $0.requiredClaims = ["exp"] }, { $0.requiresKeyID = false }, { $0.requiresUserID = false },
    { $0.checksTime = false }, { $0.maximumLifetime = .seconds(3601) }, { $0.maximumAge = .seconds(3600) },
    { $0.leeway = .seconds(1) },
    { $0.limits.token += 1 }, { $0.limits.header += 1 }, { $0.limits.json.bytes += 1 },
    { $0.limits.json.depth += 1 }, { $0.limits.json.members += 1 }, { $0.limits.json.nameBytes += 1 },
  ]

  @Test(arguments: otherRules.indices)
  func `gives nobody what was verified by one other rule`(place: Int) throws {
    let token = try TokenScene.signed()
    #expect(refusal(token, 0) == nil)
    var policy = TokenScene.verifier.policy
    Self.otherRules[place](&policy)
    let other = try CachedTokenVerifier(TokenVerifier(keys: TokenScene.keys, policy: policy), cache: cache)
    _ = refusal(token, 0, by: other)
    #expect(cache.statistics.hits == 0)
    #expect(refusal(token, 0) == nil)
    #expect(cache.statistics.hits == 1)
  }

  @Test func `remembers no token without an end, with a nonce, or beyond its length`() throws {
    var policy = VerificationPolicy(algorithms: [.RS256])
    policy.requiredClaims = []
    let verifier = try CachedTokenVerifier(TokenVerifier(keys: TokenScene.keys, policy: policy), cache: cache)
    let long = JSONValue.string(String(repeating: "x", count: 8000))
    for claims in [TokenScene.claims("exp", nil), TokenScene.claims("nonce", "n"), TokenScene.claims("x", long)] {
      #expect(try refusal(TokenScene.signed(claims), 0, by: verifier) == nil)
    }
    #expect(cache.statistics.tokens == 0)
  }

  @Test func `forgets the tokens of a user, of a key, or all`() throws {
    let ours = try TokenScene.signed()
    let theirs = try TokenScene.signed(TokenScene.claims("sub", "user-2"))
    for token in [ours, theirs] { #expect(refusal(token, 0) == nil) }
    cache.invalidate(subject: "user-1")
    #expect(cache.statistics.tokens == 1)
    cache.invalidate(keyID: "p256")
    #expect(cache.statistics.tokens == 1)
    cache.invalidate(keyID: "rsa")
    #expect(cache.statistics.tokens == 0)
    #expect(refusal(ours, 0) == nil)
    cache.removeAll()
    #expect(cache.statistics.tokens == 0)
    #expect(cache.statistics.hits == 0)
  }

  @Test func `refuses what was given to a user before he was revoked, found or not`() throws {
    let token = try TokenScene.signed()
    #expect(refusal(token, 0) == nil)
    try revocations.revoke(subject: "user-2", before: TokenScene.now)
    #expect(refusal(token, 0) == nil)
    try revocations.revoke(subject: "user-1", before: 1_699_999_001)
    #expect(refusal(token, 0) == .tokenRevoked)
    #expect(refusal(token, 0) == .tokenRevoked)
    #expect(cache.statistics.tokens == 0)
    let later = try TokenScene.signed(TokenScene.claims("auth_time", 1_699_999_001))
    #expect(refusal(later, 0) == nil)
    // A moment never moves back, and another user's does not remove it.
    try revocations.revoke(subject: "user-1", before: 0)
    try revocations.revoke(subject: "user-3", before: 1e15)
    #expect(refusal(token, 0) == .tokenRevoked)
    #expect(revocations.count == 3)
  }

  @Test func `keeps a revocation until both clocks say that it is over`() throws {
    let clocks = ManualClocks(wall: TokenScene.now)
    let revocations = TokenRevocations(maximumLifetime: .seconds(3600), clocks: clocks)
    let verifier = try CachedTokenVerifier(TokenScene.verifier, cache: cache, revocations: revocations)
    let token = try TokenScene.signed()
    try revocations.revoke(subject: "user-1", before: TokenScene.now)
    // A wall clock that is wrong for a moment.
    for wrong in [TokenScene.now + 1e9, .infinity, .nan, 0] {
      clocks.setWall(wrong)
      try revocations.revoke(subject: "user-2", before: TokenScene.now)
      clocks.setWall(TokenScene.now)
      #expect(refusal(token, 0, by: verifier) == .tokenRevoked, "\(wrong)")
    }
    #expect(revocations.count == 2)
    clocks.setBoot(.seconds(1e9))
    try revocations.revoke(subject: "user-3", before: TokenScene.now)
    #expect(revocations.count == 3, "the wall clock says that tokens of that time are still valid")
    clocks.advance(by: 3600)
    try revocations.revoke(subject: "user-4", before: TokenScene.now + 3600)
    #expect(revocations.count == 1)
  }

  @Test(arguments: [.nan, .infinity, -.infinity] as [Double])
  func `refuses a revocation at a moment that is no number`(moment: Double) throws {
    try revocations.revoke(subject: "user-1", before: TokenScene.now)
    let code = TestSupport.refusal {
      try typed { try revocations.revoke(subject: "user-1", before: Date(wall: moment)) }
    }
    #expect(code == .invalidArgument)
    let token = try TokenScene.signed()
    #expect(refusal(token, 0) == .tokenRevoked)
    #expect(try refusal(TokenScene.signed(TokenScene.claims("auth_time", nil).with("iat", 1_700_000_000)), 0) == nil)
  }

  @Test func `refuses a revoked user's token whatever moment of the future it says that the user signed in at`()
    async throws
  {
    var policy = TokenScene.verifier.policy
    policy.checksAuthenticationTime = false
    policy.requiredClaims = ["exp"]
    policy.leeway = .seconds(5)
    let inner = TokenVerifier(keys: TokenScene.keys, policy: policy)
    let verifier = try CachedTokenVerifier(inner, cache: cache, revocations: revocations)
    let late = TokenScene.claims("auth_time", 1_700_003_000).with("iat", 1_699_999_900)
    let later = try TokenScene.signed(late)
    let unissued = try TokenScene.signed(late.with("iat", nil))
    let near = try TokenScene.signed(TokenScene.claims("auth_time", nil).with("iat", 1_700_000_004))
    for token in [later, unissued, near] { #expect(refusal(token, 0, by: verifier) == nil) }
    try revocations.revoke(subject: "user-1", before: TokenScene.now)
    for _ in 0..<2 {
      #expect(refusal(later, 0, by: verifier) == .tokenRevoked)
      #expect(refusal(unissued, 0, by: verifier) == .tokenRevoked)
      // Within the leeway: from a server whose clock is ahead.
      #expect(refusal(near, 0, by: verifier) == nil)
    }
    // After that moment, the token still counts as issued before it.
    #expect(refusal(later, 3100, by: verifier) == .tokenRevoked)
    // The same without a cache.
    let scene = try RemoteScene()
    try scene.publish(["rsa": TokenScene.rsa])
    let remote = RemoteTokenVerifier(keys: scene.set, policy: policy, revocations: revocations)
    for token in [later, unissued] {
      let code = await scene.refusal { () async throws(AuthError) in
        _ = try await typed { try await remote.verify(token, at: Date(wall: TokenScene.now)) }
      }
      #expect(code?.code == .tokenRevoked)
    }
  }

  @Test(arguments: Meanwhile.allCases)
  func `remembers nothing that was forgotten while it was verified`(meanwhile: Meanwhile) throws {
    let token = try TokenScene.signed()
    let verifier = try CachedTokenVerifier(TokenScene.verifier, cache: cache) { [cache] in meanwhile.happens(to: cache)
    }
    #expect(refusal(token, 0, by: verifier) == nil)
    #expect(cache.statistics.tokens == (meanwhile == .nothing ? 1 : 0))
  }

  enum Meanwhile: CaseIterable {
    case nothing, userForgotten, keyForgotten, allForgotten

    func happens(to cache: TokenCache) {
      switch self {
      case .nothing: break
      case .userForgotten: cache.invalidate(subject: "user-1")
      case .keyForgotten: cache.invalidate(keyID: "rsa")
      case .allForgotten: cache.removeAll()
      }
    }
  }

  @Test func `refuses the next time what was revoked while it was verified`() throws {
    let token = try TokenScene.signed()
    let verifier = try CachedTokenVerifier(TokenScene.verifier, cache: cache, revocations: revocations) {
      [revocations] in try? revocations.revoke(subject: "user-1", before: TokenScene.now)
    }
    #expect(refusal(token, 0, by: verifier) == nil)
    #expect(refusal(token, 0, by: verifier) == .tokenRevoked)
  }

  @Test func `stays within its bounds under very many tokens, and keeps those that are asked for`() throws {
    let secret = try SecretKey.generate()
    let signer = try TokenSigner(key: secret)
    let set = try JWKSet([JWK(.symmetric(secret))])
    let cache = TokenCache(limits: .init(tokens: 100, bytes: 128 << 10))
    let verifier = try CachedTokenVerifier(
      TokenVerifier(keys: set, policy: VerificationPolicy(algorithms: [.HS256])), cache: cache)
    let asked = try signer.sign(["exp": 1_700_003_500, "n": "asked for"])
    for number in 0..<3000 {
      _ = try verifier.verify(signer.sign(["exp": 1_700_003_500, "n": .number(JSONNumber(number))]), at: after(0))
      if number % 10 == 0 { _ = try verifier.verify(asked, at: after(0)) }
      #expect(cache.statistics.tokens <= 100)
      #expect(cache.statistics.bytes <= 128 << 10)
    }
    #expect(cache.statistics.tokens > 50)
    #expect(cache.statistics.hits == 299)
  }

  @Test func `goes round, and lets go of what nobody has asked for since it came by`() throws {
    let cache = TokenCache(limits: .init(tokens: 3))
    let verifier = try CachedTokenVerifier(TokenScene.verifier, cache: cache)
    // ES256 signatures differ each time: the same token must be looked up again.
    let tokens = try Dictionary(
      uniqueKeysWithValues: ["a", "b", "c", "d", "e"].map {
        ($0, try TokenScene.signed(TokenScene.claims("n", .string($0))))
      })
    func ask(_ name: String) throws -> Bool {
      let hits = cache.statistics.hits
      #expect(refusal(try #require(tokens[name]), 0, by: verifier) == nil)
      return cache.statistics.hits > hits
    }
    for name in ["a", "b", "c"] { #expect(try !ask(name)) }
    for name in ["a", "b", "c"] { #expect(try ask(name)) }
    // All were looked up: the hand passes each of them and returns to the first, which is evicted; the last one takes
    // its slot.
    #expect(try !ask("d"))
    #expect(try ask("b") && ask("d"))
    // The hand is at the last token, which was not looked up since.
    #expect(try !ask("e"))
    #expect(try ask("b") && ask("d") && ask("e"))
    #expect(try !ask("c"))
  }

  @Test func `remembers no token that is larger than its room, and forgets none for it`() throws {
    let cache = TokenCache(limits: .init(tokens: 100, bytes: 4 << 10))
    let verifier = try CachedTokenVerifier(TokenScene.verifier, cache: cache)
    let large = JSONValue.string(String(repeating: "x", count: 4 << 10))
    for claims in [TokenScene.claims, TokenScene.claims("x", large), TokenScene.claims] {
      #expect(try refusal(TokenScene.signed(claims), 0, by: verifier) == nil)
    }
    #expect(cache.statistics.tokens == 1 && cache.statistics.hits == 1)
  }

  @Test func `counts what it keeps beside a token's text`() throws {
    let cache = TokenCache()
    let verifier = try CachedTokenVerifier(TokenScene.verifier, cache: cache)
    var claims = TokenScene.claims
    for number in 0..<200 { claims["\(number)"] = 0 }
    _ = try verifier.verify(TokenScene.signed(claims), at: ClockReading(wall: TokenScene.now, boot: 0, bootID: "a"))
    // The positions of the members take more than their six bytes of text.
    #expect(cache.statistics.bytes > 200 * 40)
  }

  @Test func `serves many threads at once`() async throws {
    let tokens = try (0..<8).map { try TokenScene.signed(TokenScene.claims("n", .number(JSONNumber($0)))) }
    let good = await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask { [verifier, cache] in
          (0..<200).count { round in
            if task == 0, round % 20 == 0 { cache.removeAll() }
            return (try? verifier.verify(tokens[(round + task) % 8], at: after(0)))?.subject == "user-1"
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(good == 1600)
    #expect(cache.statistics.hits + cache.statistics.misses == 1600)
  }
}

struct FixedClocks: Clocks {
  func now() -> ClockReading { ClockReading(wall: TokenScene.now, boot: 0, bootID: "b") }
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation { AlarmCancellation {} }
}
