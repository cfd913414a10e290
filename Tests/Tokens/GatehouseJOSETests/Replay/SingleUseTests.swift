import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `A verifier of tokens for one use` {
  private let store = MemoryReplayStore()
  private let plain: TokenVerifier
  private let verifier: SingleUseTokenVerifier
  private static let policy = VerificationPolicy(
    algorithms: Set(JWSAlgorithm.allCases), audience: "demo", leeway: .zero)

  init() {
    plain = TokenVerifier(keys: TokenScene.keys, policy: Self.policy)
    verifier = SingleUseTokenVerifier(verifier: plain, replays: store)
  }

  private func refusal(
    _ token: String, by verifier: SingleUseTokenVerifier? = nil, at now: Double = TokenScene.now
  ) async -> AuthError.Code? {
    do {
      _ = try await (verifier ?? self.verifier).verify(token, at: now)
      return nil
    } catch { return error.code }
  }

  @Test func `accepts each token once (group 20)`() async throws {
    let token = try TokenScene.signed()
    #expect(await refusal(token) == nil)
    #expect(await refusal(token) == .tokenReplayed)
    #expect(await refusal(token, at: 1_700_003_499) == .tokenReplayed)
    #expect(await refusal(token, at: 1_700_003_500) == .tokenExpired)
    #expect(try await refusal(TokenScene.signed(TokenScene.claims("sub", "user-2"))) == nil)
  }

  @Test func `knows a token by its issuer and jti, whatever else it says (group 20)`() async throws {
    var claims = TokenScene.claims("jti", "1")
    #expect(try await refusal(TokenScene.signed(claims)) == nil)
    claims["sub"] = "user-2"
    #expect(try await refusal(TokenScene.signed(claims)) == .tokenReplayed)
    claims["iss"] = "https://example.com"
    #expect(try await refusal(TokenScene.signed(claims)) == nil)
    claims["jti"] = 1
    #expect(try await refusal(TokenScene.signed(claims)) == .claimInvalid)
  }

  @Test func `does not take the other signature of a token for another token (groups 14 and 20)`() async throws {
    let token = try TokenSigner(key: TokenScene.p256, keyID: "p256").sign(TokenScene.claims)
    let parts = token.split(separator: ".")
    let signature = try Base64URL.decode(String(parts[2]))
    let twin = signature.prefix(32) + Curve.p256.order.minus(Array(signature.suffix(32)))
    let other = "\(parts[0]).\(parts[1]).\(Base64URL.encode(twin))"
    #expect(TokenScene.refusal(of: other, by: plain) == nil)
    #expect(await refusal(token) == nil)
    #expect(await refusal(other) == .tokenReplayed)
  }

  @Test func `knows a nested token by what was signed, however often it is encrypted (group 20)`() async throws {
    let nested = SingleUseTokenVerifier(
      verifier: NestedTokenVerifier(decrypter: EncryptionScene.decrypter, verifier: plain), replays: store)
    let ways = try [("p256", JWEAlgorithm.ECDHESA256KW), ("rsa", .RSAOAEP256), ("16 bytes", .A128KW)]
      .map { try EncryptionScene.encrypter($0.0, $0.1, .A128GCM) }
    let token = try TokenScene.signed()
    #expect(try await refusal(ways[0].encrypt(token: token), by: nested) == nil)
    for way in ways { #expect(try await refusal(way.encrypt(token: token), by: nested) == .tokenReplayed) }
    #expect(await refusal(token) == .tokenReplayed, "without encryption it is the same token")
    let others = try [
      TokenScene.signed(TokenScene.claims("sub", "user-2")),
      TokenSigner(key: TokenScene.p256, keyID: "p256").sign(TokenScene.claims),
    ]
    for other in others { #expect(try await refusal(ways[0].encrypt(token: other), by: nested) == nil) }
  }

  @Test func `records nothing of what it refuses (group 20)`() async throws {
    let forged = try TokenSigner(key: TokenScene.stranger, keyID: "rsa").sign(TokenScene.claims("jti", "1"))
    #expect(await refusal(forged) == .signatureInvalid)
    #expect(try await refusal(TokenScene.signed(TokenScene.claims("aud", "other"))) == .audienceMismatch)
    #expect(store.count == 0)
  }

  @Test func `refuses tokens that nobody could forget, or that are forgotten already (group 20)`() async throws {
    var policy = Self.policy
    policy.requiredClaims = []
    policy.checksTime = false
    let careless = SingleUseTokenVerifier(
      verifier: TokenVerifier(keys: TokenScene.keys, policy: policy), replays: store)
    #expect(try await refusal(TokenScene.signed(TokenScene.claims("exp", nil)), by: careless) == .claimInvalid)
    #expect(try await refusal(TokenScene.signed(), by: careless, at: 1_700_003_500) == .tokenExpired)
    #expect(store.count == 0)
  }

  @Test func `remembers for as long as its leeway lets a token live (group 20)`() async throws {
    var policy = Self.policy
    policy.leeway = .seconds(60)
    let lenient = SingleUseTokenVerifier(
      verifier: TokenVerifier(keys: TokenScene.keys, policy: policy), replays: Store())
    #expect(try await refusal(TokenScene.signed(), by: lenient) == .replayStoreFull)
  }

  /// A store that expects the latest possible expiry, and is then full.
  private struct Store: ReplayStore {
    func recordFirstUse(of name: [UInt8], until expiry: Date, at now: Date) throws(AuthError) -> Bool {
      #expect(name.count == 32)
      #expect(expiry == Date(wall: 1_700_003_560))
      #expect(now == Date(wall: TokenScene.now))
      throw AuthError(.replayStoreFull, "full")
    }
  }

  @Test func `compares names as bytes (group 20)`() async throws {
    for name in ["jti", "iss"] {
      for spelling in ["caf\u{E9}", "cafe\u{301}"] {
        var claims = TokenScene.claims("jti", "x")
        claims[name] = .string(spelling)
        #expect(try await refusal(TokenScene.signed(claims)) == nil)
        #expect(try await refusal(TokenScene.signed(claims)) == .tokenReplayed)
      }
    }
  }
}
