import Foundation
import GatehouseBase
import GatehouseJOSE
import GatehouseTesting
import TestSupport
import Testing

/// Verifiers that wrap other verifiers.
struct VerifierCompositionTests {
  @Test func `a nested token is decrypted once and then found in the cache, and only by the same keys and rules`()
    throws
  {
    let nested = NestedTokenVerifier(decrypter: EncryptionScene.decrypter, verifier: TokenScene.verifier)
    let message = try EncryptionScene.encrypter("p256", .ECDHESA256KW, .A256GCM).encrypt(token: TokenScene.signed())
    let cache = TokenCache()
    let verifier = try CachedTokenVerifier(nested, cache: cache)
    let moment = Date(wall: TokenScene.now)
    for _ in 0..<3 { #expect(try verifier.verify(message, at: moment).subject == "user-1") }
    #expect(cache.statistics.misses == 1 && cache.statistics.hits == 2)
    // The verifier of the inner token alone does not find it, because its identity differs.
    let plain = try CachedTokenVerifier(TokenScene.verifier, cache: cache)
    #expect(refusal { try plain.verify(message, at: moment) } == .tokenMalformed)
    var policy = DecryptionPolicy(algorithms: Set(JWEAlgorithm.allCases))
    policy.requiresKeyID = true
    let stricter = NestedTokenVerifier(
      decrypter: TokenDecrypter(keys: EncryptionScene.decrypter.keys, policy: policy), verifier: TokenScene.verifier)
    #expect(try stricter.identity != nested.identity)
    #expect(try nested.identity != TokenScene.verifier.identity)
    // Found in the cache, but expired.
    #expect(
      refusal { try verifier.verify(message, at: Date(wall: TokenScene.now + 1_000_000)) }
        == .tokenExpired)
  }

  /// A user's verifier that omits its identity.
  private struct Nameless: PureTokenVerifying {
    var policy: VerificationPolicy { TokenScene.verifier.policy }
    var identity: [UInt8] { [] }
    func verify(_ token: String, at moment: Date) throws(AuthError) -> VerifiedToken {
      try typed { try TokenScene.verifier.verify(token, at: moment) }
    }
  }

  @Test func `a verifier whose identity is empty is not cached`() {
    let error = #expect(throws: AuthError.self) { try CachedTokenVerifier(Nameless(), cache: TokenCache()) }
    #expect(error?.code == .cryptoFailed)
  }

  /// A user's verifier for one tenant, with an identity of its own length. Its tokens have a prefix.
  private struct Tenant: PureTokenVerifying {
    let name: String
    let prefix: String
    var policy: VerificationPolicy { TokenScene.verifier.policy }
    var identity: [UInt8] { Array(name.utf8) }
    func verify(_ token: String, at moment: Date) throws(AuthError) -> VerifiedToken {
      guard token.hasPrefix(prefix) else { throw AuthError(.tokenMalformed, "a token of another tenant") }
      return try typed { try TokenScene.verifier.verify(String(token.dropFirst(prefix.count)), at: moment) }
    }
  }

  @Test func `an identity ends before the token begins, whatever their lengths are`() throws {
    let cache = TokenCache(), moment = Date(wall: TokenScene.now)
    let first = try CachedTokenVerifier(Tenant(name: "tenant-a", prefix: "e"), cache: cache)
    let second = try CachedTokenVerifier(Tenant(name: "tenant-ae", prefix: "f"), cache: cache)
    let token = try TokenScene.signed()
    #expect(try first.verify("e" + token, at: moment).subject == "user-1")
    #expect(refusal { try second.verify(token, at: moment) } == .tokenMalformed)
    #expect(cache.statistics.hits == 0)
  }

  /// A user's verifier with the minimum: how it verifies at a moment.
  private struct Shortest: PureTokenVerifying {
    let inner: TokenVerifier
    var policy: VerificationPolicy { inner.policy }
    var identity: [UInt8] { get throws(AuthError) { try typed { try inner.identity } + [1] } }
    func verify(_ token: String, at moment: Date) throws(AuthError) -> VerifiedToken {
      try typed { try inner.verify(token, at: moment) }
    }
  }

  @Test func `a verifier without a moment of its own asks the policy's clocks`() async throws {
    var policy = TokenScene.verifier.policy
    let token = try TokenScene.signed()
    for (moment, code) in [(TokenScene.now, nil), (TokenScene.now + 1_000_000, .tokenExpired)]
      as [(Double, AuthError.Code?)]
    {
      policy.clocks = ManualClocks(wall: moment)
      let shortest = Shortest(inner: TokenVerifier(keys: TokenScene.keys, policy: policy))
      #expect(refusal { try shortest.verify(token) } == code)
      let cached = try CachedTokenVerifier(shortest, cache: TokenCache())
      #expect(refusal { try cached.verify(token) } == code)
      let any: any TokenVerifying = shortest
      do throws(AuthError) {
        _ = try await typed { try await any.verify(token) }
        #expect(code == nil)
      } catch { #expect(error.code == code) }
    }
  }

  @Test func `spans of any length tell verifiers apart`() throws {
    let spans: [Duration?] = [nil, .zero, .nanoseconds(1), .seconds(1), .seconds(Int64.max), .seconds(1e20)]
    var identities: Set<[UInt8]> = []
    for span in spans {
      var policy = TokenScene.verifier.policy
      policy.maximumAge = span
      try identities.insert(TokenVerifier(keys: TokenScene.verifier.keys, policy: policy).identity)
    }
    #expect(identities.count == spans.count)
  }

  @Test func `a token under a server's keys, cached, is good once`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    let remote = RemoteTokenVerifier(
      keys: scene.set, policy: VerificationPolicy(algorithms: [.ES256]), cache: TokenCache())
    let once = SingleUseTokenVerifier(verifier: remote, replays: MemoryReplayStore())
    let token = try TokenSigner(key: TokenScene.p256, keyID: "a").sign(["exp": 9_000_000_000, "jti": "1"])
    #expect(try await once.verify(token).tokenID == "1")
    let again = await scene.refusal { () async throws(AuthError) in
      _ = try await typed { try await once.verify(token) }
    }
    #expect(again?.code == .tokenReplayed)
  }
}
