import GatehouseJOSE
import TestSupport
import Testing

/// One kind of token is never accepted as another (group 13).
struct `A token's type` {
  private static let accessClaims: JSONObject = [
    "iss": "https://securetoken.google.com/demo", "aud": "demo", "sub": "user-1", "client_id": "app", "jti": "1",
    "iat": 1_699_999_900, "exp": 1_700_003_500,
  ]

  /// Verifiers with the same keys, issuer and audience, and different types.
  private static func verifier(_ type: TypeRule) -> TokenVerifier {
    var policy = VerificationPolicy.accessToken(
      issuer: "https://securetoken.google.com/demo", audience: "demo", algorithms: [.RS256])
    policy.type = type
    return TokenVerifier(keys: TokenScene.keys, policy: policy)
  }

  private func refusal(
    _ rule: TypeRule, _ type: JSONValue?, _ claims: JSONObject = accessClaims
  ) throws -> AuthError.Code? {
    let token = try TokenScene.signed(payload: claims.description, header: TokenScene.header("typ", type))
    return TokenScene.refusal(of: token, by: Self.verifier(rule))
  }

  @Test func `of an access token is at+jwt, in any case and with its prefix (group 13)`() throws {
    for type in ["at+jwt", "AT+JWT", "At+Jwt", "application/at+jwt", "APPLICATION/AT+JWT"] {
      #expect(try refusal(.accessToken, .string(type)) == nil, "\(type)")
    }
    for type in [
      "JWT", "dpop+jwt", "", "at", "at+jwt ", " at+jwt", "at+jwt;v=1", "text/at+jwt", "application/application/at+jwt",
      "application/", "at+jws", "at+\u{FF4A}wt", nil,
    ] {
      #expect(try refusal(.accessToken, type.map(JSONValue.string)) == .typeMismatch, "\(type ?? "none")")
    }
    for value in [1, .null, true, ["at+jwt"], ["typ": "at+jwt"]] as [JSONValue] {
      #expect(try refusal(.accessToken, value) == .headerInvalid)
    }
  }

  @Test func `of a security event is refused as any other, also if typ does not say so (group 13)`() throws {
    var claims = Self.accessClaims
    claims["sid"] = "s1"
    claims["events"] = ["http://schemas.openid.net/event/backchannel-logout": [:]]
    for type in [nil, "JWT", "application/jwt"] as [JSONValue?] {
      #expect(try refusal(.ifPresent("JWT"), type, claims) == .typeMismatch)
    }
    #expect(try refusal(.required("JWT"), "JWT", claims) == .typeMismatch)
    for type in ["logout+jwt", "secevent+jwt", "at+jwt", "dpop+jwt", "token-introspection+jwt"] {
      #expect(try refusal(.ifPresent("JWT"), .string(type), claims) == .typeMismatch)
      #expect(try refusal(.ifPresent("JWT"), .string(type), Self.accessClaims) == .typeMismatch)
    }
    #expect(try refusal(.required("logout+jwt"), "logout+jwt", claims) == nil, "a policy for logout tokens takes one")
    #expect(try refusal(.any, "JWT", claims) == nil)
    // An app's own claim of this name is no event: the names of events are URIs.
    for own in [["a", "b"], ["concert": 1], "none", .null] as [JSONValue] {
      claims["events"] = own
      #expect(try refusal(.ifPresent("JWT"), "JWT", claims) == nil)
    }
  }

  @Test func `keeps an ID token from being an access token, and the other way round (group 13)`() throws {
    // Everything else about both tokens is valid for either.
    let claims = Self.accessClaims
    #expect(try refusal(.accessToken, "JWT", claims) == .typeMismatch)
    #expect(try refusal(.ifPresent("JWT"), "at+jwt", claims) == .typeMismatch)
    #expect(try refusal(.ifPresent("JWT"), "JWT", claims) == nil)
    #expect(try refusal(.required("JWT"), nil, claims) == .typeMismatch)
    #expect(try refusal(.ifPresent("JWT"), nil, claims) == nil)
    #expect(try refusal(.dpopProof, "at+jwt", claims) == .typeMismatch)
    #expect(try refusal(.dpopProof, "dpop+jwt", claims) == nil)
    #expect(try refusal(.any, "anything", claims) == nil)
    #expect(try refusal(.any, nil, claims) == nil)
    #expect(try refusal(.any, 1, claims) == .headerInvalid)
  }

  @Test(arguments: ["exp", "iat", "sub", "client_id", "jti", "iss", "aud"])
  func `of an access token asks for each claim of RFC 9068 (groups 13 and 19)`(name: String) throws {
    var claims = Self.accessClaims
    claims[name] = nil
    let code = ["iss": AuthError.Code.issuerMismatch, "aud": .audienceMismatch][name] ?? .claimInvalid
    #expect(try refusal(.accessToken, "at+jwt", claims) == code)
  }

  @Test func `says whether it contains another token, and then it is refused (group 13)`() throws {
    for content in ["JWT", "jwt", "Jwt", "application/jwt", "application/JWT"] {
      let header = TokenScene.header("cty", .string(content))
      let token = try TokenScene.signed(payload: TokenScene.claims.description, header: header)
      #expect(TokenScene.refusal(of: token) == .typeMismatch, "\(content)")
    }
    for content in ["json", "application/example", ""] {
      let header = TokenScene.header("cty", .string(content))
      let token = try TokenScene.signed(payload: TokenScene.claims.description, header: header)
      #expect(TokenScene.refusal(of: token) == nil, "\(content)")
    }
  }

  @Test func `and its compression: nothing that is signed is compressed (group 13)`() throws {
    for value in ["DEF", "", .null, 1, false] as [JSONValue] {
      let header = TokenScene.header("zip", value)
      let token = try TokenScene.signed(payload: TokenScene.claims.description, header: header)
      #expect(TokenScene.refusal(of: token) == .headerInvalid)
      let messages = JWSVerifier(keys: TokenScene.keys, algorithms: [.RS256])
      #expect(TestSupport.refusal { try messages.verify(token) } == .headerInvalid)
    }
  }
}
