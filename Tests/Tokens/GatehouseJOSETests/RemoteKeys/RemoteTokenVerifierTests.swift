import GatehouseBase
import GatehouseJOSE
import GatehouseTesting
import HangGuard
import Testing

@Suite(.endsIfItHangs) struct `A verifier with remote keys` {
  private static func scene(_ keys: [String: PrivateKey] = ["rsa": TokenScene.rsa]) throws -> (
    RemoteScene, RemoteTokenVerifier
  ) {
    let scene = try RemoteScene()
    try scene.publish(keys)
    var policy = VerificationPolicy.firebaseIDToken(project: "demo", leeway: .zero)
    policy.clocks = scene.clocks
    return (scene, RemoteTokenVerifier(keys: scene.set, policy: policy))
  }

  private static func refusal(_ token: String, by verifier: RemoteTokenVerifier) async -> AuthError.Code? {
    do throws(AuthError) {
      _ = try await typed { try await verifier.verify(token) }
      return nil
    } catch { return error.code }
  }

  @Test func `fetches the keys once and verifies many tokens`() async throws {
    let (scene, verifier) = try Self.scene()
    for _ in 0..<5 { #expect(try await verifier.verify(TokenScene.signed()).subject == "user-1") }
    #expect(scene.asked == 1)
  }

  @Test func `goes by the policy's clock`() async throws {
    let (scene, verifier) = try Self.scene()
    let token = try TokenScene.signed()
    scene.clocks.advance(by: 3499)
    #expect(await Self.refusal(token, by: verifier) == nil)
    scene.clocks.advance(by: 1)
    #expect(await Self.refusal(token, by: verifier) == .tokenExpired)
  }

  @Test func `fetches anew for a key that is not known, and verifies once more`() async throws {
    let (scene, verifier) = try Self.scene(["old": TokenScene.stranger])
    let token = try TokenScene.signed()
    #expect(await Self.refusal(token, by: verifier) == .unknownKey)
    #expect(scene.asked == 1, "the cooldown holds")
    try scene.publish(["rsa": TokenScene.rsa])
    scene.clocks.advance(by: 30)
    #expect(await Self.refusal(token, by: verifier) == nil)
    #expect(scene.asked == 2)
  }

  @Test func `fetches anew when a signature fails, because the server may have replaced a key under its name`()
    async throws
  {
    for (key, keyID) in [(TokenScene.stranger, "rsa"), (TokenScene.p256, "rsa"), (TokenScene.stranger, nil)] {
      let (scene, verifier) = try Self.scene()
      if keyID == nil { try scene.publish(["": TokenScene.rsa]) }
      var policy = verifier.policy
      policy.algorithms = [.RS256, .ES256]
      policy.requiresKeyID = false
      let lenient = RemoteTokenVerifier(keys: scene.set, policy: policy, cache: TokenCache())
      let old = try TokenSigner(key: TokenScene.rsa, keyID: keyID).sign(TokenScene.claims)
      let new = try TokenSigner(key: key, keyID: keyID).sign(TokenScene.claims)
      #expect(await Self.refusal(old, by: lenient) == nil)
      try scene.publish([keyID ?? "": key])
      #expect(await Self.refusal(new, by: lenient) != nil)
      #expect(scene.asked == 1, "the cooldown holds")
      scene.clocks.advance(by: 30)
      #expect(await Self.refusal(new, by: lenient) == nil)
      #expect(await Self.refusal(old, by: lenient) != nil)
      #expect(scene.asked == 2)
    }
  }

  @Test func `fetches once in a cooldown for any number of bad signatures, and says what is wrong with them`()
    async throws
  {
    let (scene, verifier) = try Self.scene()
    _ = try await verifier.verify(TokenScene.signed())
    let forged = try TokenSigner(key: TokenScene.stranger, keyID: "rsa").sign(TokenScene.claims)
    for round in 1...3 {
      scene.clocks.advance(by: 30)
      let codes = await withTaskGroup(of: AuthError.Code?.self) { group in
        for _ in 0..<50 { group.addTask { await Self.refusal(forged, by: verifier) } }
        return await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(codes == [.signatureInvalid])
      #expect(scene.asked == 1 + round)
    }
    // Whether the server answers says nothing about the token, whose key is at hand.
    scene.fail()
    scene.clocks.advance(by: 30)
    for _ in 0..<3 { #expect(await Self.refusal(forged, by: verifier) == .signatureInvalid) }
    #expect(scene.asked == 5)
    #expect(await Self.refusal(try TokenScene.signed(), by: verifier) == nil)
  }

  @Test func `does not trust a key that is gone`() async throws {
    let (scene, verifier) = try Self.scene()
    let token = try TokenScene.signed()
    #expect(await Self.refusal(token, by: verifier) == nil)
    try scene.publish(["new": TokenScene.rsa])
    try await scene.set.refresh()
    #expect(await Self.refusal(token, by: verifier) == .unknownKey)
    try scene.publish(["rsa": TokenScene.stranger])
    try await scene.set.refresh()
    #expect(await Self.refusal(token, by: verifier) == .signatureInvalid)
  }

  @Test func `finds in its cache no token whose key was rotated away, changed, or taken back`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["rsa": TokenScene.rsa])
    var policy = VerificationPolicy.firebaseIDToken(project: "demo")
    policy.clocks = scene.clocks
    let cache = TokenCache()
    let verifier = RemoteTokenVerifier(keys: scene.set, policy: policy, cache: cache)
    let token = try TokenScene.signed()
    for _ in 0..<3 { #expect(await Self.refusal(token, by: verifier) == nil) }
    #expect(cache.statistics.hits == 2)
    try scene.publish(["rsa": TokenScene.rsa, "new": TokenScene.p256])
    try await scene.set.refresh()
    #expect(await Self.refusal(token, by: verifier) == nil)
    try scene.publish(["rsa": TokenScene.stranger])
    try await scene.set.refresh()
    #expect(await Self.refusal(token, by: verifier) == .signatureInvalid)
    try scene.publish(["new": TokenScene.p256])
    try await scene.set.refresh()
    #expect(await Self.refusal(token, by: verifier) == .unknownKey)
    #expect(cache.statistics.hits == 2)
  }

  @Test func `finds in its cache no token that was verified while its key was rotated away`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["rsa": TokenScene.rsa])
    let cache = TokenCache()
    let token = try TokenScene.signed()
    let policy = VerificationPolicy.firebaseIDToken(project: "demo")
    let before = try CachedTokenVerifier(
      TokenVerifier(keys: try await scene.set.keys(), policy: policy), cache: cache)
    // The keys are read, then they change, then the verification ends and is cached.
    try scene.publish(["new": TokenScene.p256])
    try await scene.set.refresh()
    _ = try before.verify(token, at: scene.clocks.now())
    var current = policy
    current.clocks = scene.clocks
    let verifier = RemoteTokenVerifier(keys: scene.set, policy: current, cache: cache)
    #expect(await Self.refusal(token, by: verifier) == .unknownKey)
  }

  @Test func `fetches for nothing but a name that is not known and a signature that fails`() async throws {
    let (scene, verifier) = try Self.scene()
    _ = try await verifier.verify(TokenScene.signed())
    scene.clocks.advance(by: 100)
    for (token, code) in [
      ("no token", AuthError.Code.tokenMalformed),
      (try TokenSigner(key: TokenScene.rsa).sign(TokenScene.claims), .unknownKey),
      (try TokenSigner(key: TokenScene.p256, keyID: "new").sign(TokenScene.claims), .algorithmRefused),
      (try TokenScene.signed(TokenScene.claims("aud", "other")), .audienceMismatch),
    ] {
      #expect(await Self.refusal(token, by: verifier) == code)
    }
    #expect(scene.asked == 1)
  }

  @Test func `verifies with the keys at hand without waiting`() async throws {
    let (scene, verifier) = try Self.scene()
    let token = try TokenScene.signed()
    var error = #expect(throws: AuthError.self) { try verifier.verifyWithKeysAtHand(token, at: TokenScene.now) }
    #expect(error?.code == .keysUnavailable)
    _ = try await scene.set.keys()
    #expect(try verifier.verifyWithKeysAtHand(token, at: TokenScene.now).subject == "user-1")
    scene.clocks.advance(by: 87_399)
    #expect(try verifier.verifyWithKeysAtHand(token, at: TokenScene.now).subject == "user-1")
    scene.clocks.advance(by: 1)
    error = #expect(throws: AuthError.self) { try verifier.verifyWithKeysAtHand(token, at: TokenScene.now) }
    #expect(error?.code == .keysUnavailable, "the stale limit is reached")
    #expect(scene.asked == 1)
  }

  @Test func `says that keys cannot be had, and nothing of the token`() async throws {
    let (scene, verifier) = try Self.scene()
    scene.fail()
    #expect(await Self.refusal("no token", by: verifier) == .keysUnavailable)
  }
}
