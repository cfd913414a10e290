import GatehouseJOSE
import TestSupport
import Testing

/// Claims whose rules `A verifier` does not test individually (group 19).
struct `A claim` {
  private func verifier(_ change: (inout VerificationPolicy) -> Void) -> TokenVerifier {
    var policy = VerificationPolicy(algorithms: [.RS256], leeway: .zero)
    change(&policy)
    return TokenVerifier(keys: TokenScene.keys, policy: policy)
  }

  @Test(arguments: ["iss", "sub", "azp", "jti"])
  func `is a text, whether the policy asks for it or not (group 19)`(name: String) throws {
    let any = verifier { _ in }
    // Except `azp`, whose type is checked only if a rule checks the claim.
    for value in name == "azp" ? [] : [1, .null, true, [], ["x"], ["x": 1]] as [JSONValue] {
      #expect(try TokenScene.refusal(of: TokenScene.claims(name, value), by: any) == .claimInvalid)
    }
    for value in ["", "x", nil] as [JSONValue?] {
      #expect(try TokenScene.refusal(of: TokenScene.claims(name, value), by: any) == nil)
    }
  }

  @Test func `of an end is asked for, unless the policy says that it need not be (group 19)`() throws {
    let endless = TokenScene.claims("exp", nil)
    #expect(try TokenScene.refusal(of: endless, by: verifier { _ in }) == .claimInvalid)
    #expect(try TokenScene.refusal(of: endless, by: verifier { $0.requiredClaims = [] }) == nil)
  }

  @Test func `of an audience is a name or a list of names, where the policy asks (group 19)`() throws {
    let demo = verifier { $0.audience = "demo" }
    for value in [1, .null, true, [], [1], ["demo", 1], ["demo", .null], [["demo"]], ["demo": true]] as [JSONValue] {
      #expect(try TokenScene.refusal(of: TokenScene.claims("aud", value), by: demo) == .claimInvalid)
    }
    for value in ["demo", ["demo"], ["other", "demo"], ["demo", "demo"]] as [JSONValue] {
      #expect(try TokenScene.refusal(of: TokenScene.claims("aud", value), by: demo) == nil)
    }
    for value in [
      "DEMO", "demo ", " demo", "dem", "demo2", "demo,other", "", ["DEMO"], ["dem", "o"], ["demo "], "[\"demo\"]",
    ] as [JSONValue] {
      #expect(try TokenScene.refusal(of: TokenScene.claims("aud", value), by: demo) == .audienceMismatch)
    }
  }

  @Test func `of an issuer has no more and no less than the policy's (group 19)`() throws {
    let exact = verifier { $0.issuer = "https://a.example" }
    for issuer in [
      "https://a.example/", "https://a.exampl", "https://a.example.evil.org", "http://a.example", "https://A.example",
      "a.example", "https://a.example\0", "", "https://a.example,https://b.example",
    ] {
      #expect(try TokenScene.refusal(of: TokenScene.claims("iss", .string(issuer)), by: exact) == .issuerMismatch)
    }
    #expect(try TokenScene.refusal(of: TokenScene.claims("iss", "https://a.example"), by: exact) == nil)
  }

  @Test func `of a party is its own, also beside several audiences (group 19)`() throws {
    let both = verifier {
      $0.audience = "demo"
      $0.authorizedParty = "app"
    }
    var claims = TokenScene.claims("aud", ["other", "demo"])
    for (party, code) in [
      ("app", nil), ("APP", .audienceMismatch), ("", .audienceMismatch), ("demo", .audienceMismatch),
      (["app"], .claimInvalid), (nil, .audienceMismatch),
    ] as [(JSONValue?, AuthError.Code?)] {
      claims["azp"] = party
      #expect(try TokenScene.refusal(of: claims, by: both) == code)
    }
  }

  @Test func `of a time lies in an age that the policy sets (group 19)`() throws {
    let young = verifier { $0.maximumAge = .seconds(100) }
    let lenient = verifier {
      $0.maximumAge = .seconds(100)
      $0.leeway = .seconds(10)
    }
    let token = try TokenScene.signed()  // issued 100 seconds before the scene's moment
    #expect(TokenScene.refusal(of: token, by: young) == nil)
    #expect(TokenScene.refusal(of: token, by: young, at: TokenScene.now + 0.5) == .tokenExpired)
    #expect(TokenScene.refusal(of: token, by: lenient, at: TokenScene.now + 10) == nil)
    #expect(TokenScene.refusal(of: token, by: lenient, at: TokenScene.now + 10.5) == .tokenExpired)
    // Not reported as expired: otherwise a program would fetch new tokens forever.
    #expect(try TokenScene.refusal(of: TokenScene.claims("iat", nil), by: young) == .claimInvalid)
    #expect(TokenScene.refusal(of: token, by: verifier { $0.maximumAge = .seconds(-1) }) == .tokenExpired)
  }

  @Test func `of a life is no longer than the policy says, and ends after it begins (group 19)`() throws {
    let short = verifier { $0.maximumLifetime = .seconds(3600) }
    #expect(try TokenScene.refusal(of: TokenScene.claims, by: short) == nil)
    #expect(try TokenScene.refusal(of: TokenScene.claims("exp", 1_700_003_501), by: short) == .claimInvalid)
    #expect(try TokenScene.refusal(of: TokenScene.claims("iat", nil), by: short) == .claimInvalid)
    var endless = TokenScene.claims
    endless["exp"] = nil
    let patient = verifier {
      $0.requiredClaims = []
      $0.maximumLifetime = .seconds(3600)
    }
    #expect(try TokenScene.refusal(of: endless, by: patient) == .claimInvalid)
    #expect(try TokenScene.refusal(of: TokenScene.claims, by: verifier { $0.maximumLifetime = .zero }) == .claimInvalid)
    // In the wrong order, whether or not times are checked.
    let backwards = TokenScene.claims("exp", 1_699_999_899)
    #expect(try TokenScene.refusal(of: backwards, by: verifier { _ in }) == .claimInvalid)
    #expect(try TokenScene.refusal(of: backwards, by: verifier { $0.checksTime = false }) == .claimInvalid)
    #expect(
      try TokenScene.refusal(of: TokenScene.claims("exp", 1_699_999_900), by: verifier { $0.checksTime = false }) == nil
    )
  }

  @Test(arguments: ["nbf", "iat", "auth_time"])
  func `of a beginning lies no further ahead than the leeway (group 19)`(name: String) throws {
    let exact = verifier { $0.checksAuthenticationTime = true }
    let lenient = verifier {
      $0.leeway = .seconds(60)
      $0.checksAuthenticationTime = true
    }
    for (ahead, strict, loose) in [
      (0, nil, nil), (1, .tokenNotYetValid, nil), (60, .tokenNotYetValid, nil),
      (61, .tokenNotYetValid, .tokenNotYetValid),
    ] as [(Int64, AuthError.Code?, AuthError.Code?)] {
      let token = try TokenScene.signed(TokenScene.claims(name, .number(JSONNumber(1_700_000_000 + ahead))))
      #expect(TokenScene.refusal(of: token, by: exact) == strict, "\(ahead)")
      #expect(TokenScene.refusal(of: token, by: lenient) == loose, "\(ahead)")
    }
    #expect(TokenScene.refusal(of: try TokenScene.signed(TokenScene.claims(name, 0)), by: exact) == nil)
  }

  @Test func `that the policy requires is there, and is not null (group 19)`() throws {
    let strict = verifier { $0.requiredClaims = ["exp", "email", "http://example.com/a_claim_with_a_long_name"] }
    var claims = TokenScene.claims("http://example.com/a_claim_with_a_long_name", false)
    #expect(try TokenScene.refusal(of: claims, by: strict) == .claimInvalid)
    claims["Email"] = "a@example.com"
    #expect(try TokenScene.refusal(of: claims, by: strict) == .claimInvalid)
    claims["email"] = .null
    #expect(try TokenScene.refusal(of: claims, by: strict) == .claimInvalid)
    for value in ["", "null", false, 0, [], [.null], [:]] as [JSONValue] {
      claims["email"] = value
      #expect(try TokenScene.refusal(of: claims, by: strict) == nil)
    }
    for value in [nil, .null] as [JSONValue?] {
      claims["http://example.com/a_claim_with_a_long_name"] = value
      #expect(try TokenScene.refusal(of: claims, by: strict) == .claimInvalid)
    }
  }

  @Test func `of a user is 1 to 128 characters, however many bytes (group 19)`() throws {
    for (subject, code) in [
      ("u", nil), (String(repeating: "\u{1F600}", count: 128), nil), (String(repeating: "u", count: 128), nil),
      ("", .claimInvalid), (String(repeating: "\u{E9}", count: 129), .claimInvalid),
    ] as [(String, AuthError.Code?)] {
      #expect(try TokenScene.refusal(of: TokenScene.claims("sub", .string(subject))) == code)
    }
  }
}
