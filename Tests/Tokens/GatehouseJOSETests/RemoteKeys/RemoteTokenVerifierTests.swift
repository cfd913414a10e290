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
    var policy = VerificationPolicy.firebaseIDToken(project: "demo")
    policy.clocks = scene.clocks
    return (scene, RemoteTokenVerifier(keys: scene.set, policy: policy))
  }

  private static func refusal(_ token: String, by verifier: RemoteTokenVerifier) async -> AuthError.Code? {
    do {
      _ = try await verifier.verify(token)
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

  @Test func `fetches for nothing but a name that is not known`() async throws {
    let (scene, verifier) = try Self.scene()
    _ = try await verifier.verify(TokenScene.signed())
    scene.clocks.advance(by: 100)
    let signer = try TokenSigner(key: TokenScene.stranger, keyID: "rsa")
    for (token, code) in [
      ("no token", AuthError.Code.tokenMalformed), (try signer.sign(TokenScene.claims), .signatureInvalid),
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
