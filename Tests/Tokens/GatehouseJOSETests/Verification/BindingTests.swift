import GatehouseJOSE
import TestSupport
import Testing

/// Tokens that are bound to a key of their sender (`cnf`, RFC 7800).
struct `A bound token` {
  /// Uses the same rules except for the binding.
  private static func refusal(_ rule: BindingRule, _ confirmation: JSONValue?) throws -> AuthError.Code? {
    var policy = VerificationPolicy(algorithms: [.RS256])
    policy.binding = rule
    return try TokenScene.refusal(
      of: TokenScene.claims("cnf", confirmation), by: TokenVerifier(keys: TokenScene.keys, policy: policy))
  }

  private static let confirmations: [JSONValue] = [
    ["jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"], ["x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"],
    ["jwk": ["kty": "EC"]], ["kid": "a"], ["jwe": "a.b.c.d.e"], ["another": 1],
  ]

  @Test func `is no bearer token, whatever it is bound to`() throws {
    for value in Self.confirmations + [[:], "a", 1, true, []] as [JSONValue] {
      #expect(try Self.refusal(.bearer, value) == .proofRequired, "\(value)")
    }
    for value in [nil, .null] as [JSONValue?] { #expect(try Self.refusal(.bearer, value) == nil) }
  }

  @Test func `may be asked for`() throws {
    for value in Self.confirmations { #expect(try Self.refusal(.bound, value) == nil, "\(value)") }
    for value in [nil, .null, [:], "a", 1, true, []] as [JSONValue?] {
      #expect(try Self.refusal(.bound, value) == .proofRequired)
    }
  }

  @Test func `is bound to one key (RFC 7800 §3.1)`() throws {
    for other in ["x5t#S256", "jwk", "jwe", "jku"] {
      let both = JSONObject(["jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"]).with(other, "a")
      #expect(try Self.refusal(.bound, .object(both)) == .claimInvalid, "\(other)")
      #expect(try Self.refusal(.bearer, .object(both)) == .proofRequired)
      #expect(try Self.refusal(.any, .object(both)) == nil)
    }
    // `kid` selects one of the keys at `jku`, and unknown members are ignored.
    #expect(try Self.refusal(.bound, ["jku": "https://a.example/keys", "kid": "a", "another": 1]) == nil)
  }

  @Test func `is taken like any other where no rule asks`() throws {
    for value in Self.confirmations + ["a"] as [JSONValue] { #expect(try Self.refusal(.any, value) == nil) }
    #expect(VerificationPolicy(algorithms: [.RS256]).binding == .any)
    #expect(VerificationPolicy.firebaseIDToken(project: "demo").binding == .any)
  }

  @Test func `and a bearer token have policies of their own (RFC 9068)`() throws {
    let bearer = VerificationPolicy.accessToken(issuer: "i", audience: "a", algorithms: [.RS256])
    let bound = VerificationPolicy.boundAccessToken(issuer: "i", audience: "a", algorithms: [.RS256])
    #expect(bearer.binding == .bearer && bound.binding == .bound)
    var claims: JSONObject = [
      "iss": "i", "aud": "a", "sub": "user-1", "client_id": "app", "jti": "1", "iat": 1_699_999_900,
      "exp": 1_700_003_500,
    ]
    let header = TokenScene.header("typ", "at+jwt")
    for isBound in [false, true] {
      if isBound { claims["cnf"] = ["jkt": "t"] }
      let token = try TokenScene.signed(payload: claims.description, header: header)
      for (policy, isAccepted) in [(bearer, !isBound), (bound, isBound)] {
        let code = TokenScene.refusal(of: token, by: TokenVerifier(keys: TokenScene.keys, policy: policy))
        #expect(code == (isAccepted ? nil : .proofRequired))
      }
    }
  }
}
