import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct FreshTokenTests {
  @Test func `a token that was signed a moment ago is valid, its times to the microsecond`() throws {
    let key = try JWK(.symmetric(SecretKey(Array(repeating: 7, count: 32))), keyID: "k", algorithm: .HS256)
    let policy = VerificationPolicy(algorithms: [.HS256])
    let verifier = try TokenVerifier(keys: JWKSet([key]), policy: policy)
    let cached = try CachedTokenVerifier(verifier, cache: TokenCache())
    let signer = try TokenSigner(key)
    var refused = 0
    for _ in 0..<2000 {
      let now = SystemClocks().now().wall
      let number = try #require(JSONNumber(now).map(JSONValue.number))
      let token = try signer.sign([
        "sub": "u", "iat": number, "nbf": number, "exp": .number(JSONNumber(Int64(now) + 60)),
      ])
      do { _ = try verifier.verify(token) } catch { refused += 1 }
      do { _ = try cached.verify(token) } catch { refused += 1 }
    }
    #expect(refused == 0)
  }
}
