import Foundation
import GatehouseJOSE
import TestSupport
import Testing

/// Tokens of third-party servers: several issuers and audiences, and claims that no rule checks.
struct `A foreign token` {
  private static func verifier(_ change: (inout VerificationPolicy) throws -> Void) rethrows
    -> TokenVerifier
  {
    var policy = VerificationPolicy(algorithms: [.RS256])
    try change(&policy)
    return TokenVerifier(keys: TokenScene.keys, policy: policy)
  }

  @Test func `may come from any issuer of a list, and from no other`() throws {
    let verifier = Self.verifier {
      $0.issuers = [.exactly("https://a.example"), .exactly("https://b.example")]
    }
    for (issuer, code) in [
      ("https://a.example", nil), ("https://b.example", nil),
      ("https://c.example", .issuerMismatch),
      ("https://a.example/", .issuerMismatch), (nil, .issuerMismatch),
    ] as [(JSONValue?, AuthError.Code?)] {
      #expect(try TokenScene.refusal(of: TokenScene.claims("iss", issuer), by: verifier) == code)
    }
    // An empty list accepts none; without a list, the claim is not checked.
    #expect(
      try TokenScene.refusal(of: TokenScene.claims, by: Self.verifier { $0.issuers = [] })
        == .issuerMismatch)
    #expect(
      try TokenScene.refusal(of: TokenScene.claims, by: Self.verifier { $0.issuers = nil }) == nil)
  }

  @Test func `may be for any audience of a list, and for no other`() throws {
    let verifier = Self.verifier { $0.audiences = ["one", "two"] }
    for (audience, code) in [
      ("one", nil), ("two", nil), (["x", "two"], nil), ("three", .audienceMismatch),
      ([], .claimInvalid),
      (["x"], .audienceMismatch), (nil, .audienceMismatch), (["one", 1], .claimInvalid),
    ] as [(JSONValue?, AuthError.Code?)] {
      #expect(try TokenScene.refusal(of: TokenScene.claims("aud", audience), by: verifier) == code)
    }
    #expect(
      try TokenScene.refusal(of: TokenScene.claims, by: Self.verifier { $0.audiences = [] })
        == .audienceMismatch)
    #expect(
      try TokenScene.refusal(of: TokenScene.claims, by: Self.verifier { $0.audiences = nil }) == nil
    )
  }

  private static func entra(_ issuer: String, _ tenant: JSONValue?) -> JSONObject {
    var claims = TokenScene.claims("iss", .string(issuer))
    claims["tid"] = tenant
    return claims
  }

  @Test func `may come from the issuer that its tenant names`() throws {
    let host = "https://login.microsoftonline.com/"
    let any = try Self.verifier {
      $0.issuers = [try .template(host + "{tenantid}/v2.0", claim: "tid")]
    }
    let some = try Self.verifier {
      $0.issuers = [try .template(host + "{tenantid}/v2.0", claim: "tid", among: ["t-1", "t-2"])]
    }
    for (issuer, tenant, byAny, bySome) in [
      (host + "t-1/v2.0", "t-1", nil, nil), (host + "t-3/v2.0", "t-3", nil, .issuerMismatch),
      (host + "t-1/v2.0", "t-2", .issuerMismatch, .issuerMismatch),
      (host + "t-1/v2.0", nil, .issuerMismatch, .issuerMismatch),
      (host + "t-1/v2.0", 1, .issuerMismatch, .issuerMismatch),
      (host + "/v2.0", "", .issuerMismatch, .issuerMismatch),
      (host + "t-1", "t-1", .issuerMismatch, .issuerMismatch),
      (host + "t-1/v2.0/", "t-1", .issuerMismatch, .issuerMismatch),
      (host + "a/b/v2.0", "a/b", .issuerMismatch, .issuerMismatch),
      (host + "{tenantid}/v2.0", "{tenantid}", .issuerMismatch, .issuerMismatch),
      ("https://evil.example/t-1/v2.0", "t-1", .issuerMismatch, .issuerMismatch),
    ] as [(String, JSONValue?, AuthError.Code?, AuthError.Code?)] {
      #expect(try TokenScene.refusal(of: Self.entra(issuer, tenant), by: any) == byAny, "\(issuer)")
      #expect(
        try TokenScene.refusal(of: Self.entra(issuer, tenant), by: some) == bySome, "\(issuer)")
    }
  }

  @Test(arguments: [
    "", "https://a.example", "https://a.example/{a}/{b}", "https://a.example/{a",
    "https://a.example/a}", "https://a.example/{}", "{a}",
  ])
  func `has no template without one placeholder behind a beginning`(template: String) {
    #expect(
      refusal { try AcceptedIssuer.template(template, claim: "tid") }
        == .invalidArgument)
  }

  @Test func `may say what it likes where no rule asks`() throws {
    let lax = Self.verifier { _ in }
    for (name, value) in [
      ("auth_time", "2026-11-22T16:00:00Z"), ("auth_time", .null), ("auth_time", 9_000_000_000),
      ("auth_time", -1),
      ("azp", 1), ("azp", ["a"]), ("aud", []), ("aud", 1), ("aud", ["demo", 1]), ("aud", .null),
    ] as [(String, JSONValue)] {
      #expect(
        try TokenScene.refusal(of: TokenScene.claims(name, value), by: lax) == nil,
        "\(name): \(value)")
    }
    let strict = Self.verifier {
      $0.checksAuthenticationTime = true
      $0.authorizedParty = "app"
      $0.audience = "demo"
    }
    var good = TokenScene.claims("azp", "app")
    #expect(try TokenScene.refusal(of: good, by: strict) == nil)
    for (name, value, code) in [
      ("auth_time", "2026-11-22T16:00:00Z", .claimInvalid),
      ("auth_time", 9_000_000_000, .tokenNotYetValid),
      ("azp", 1, .claimInvalid), ("aud", 1, .claimInvalid),
    ] as [(String, JSONValue, AuthError.Code)] {
      var claims = good
      claims[name] = value
      #expect(try TokenScene.refusal(of: claims, by: strict) == code, "\(name): \(value)")
    }
    // Without a rule that requires the claim, a token may omit it.
    good["auth_time"] = nil
    #expect(try TokenScene.refusal(of: good, by: strict) == nil)
  }

  @Test func `is remembered by the rules that it was verified by`() throws {
    let cache = TokenCache()
    let odd = try TokenScene.signed(TokenScene.claims("auth_time", "early"))
    let cached = try CachedTokenVerifier(Self.verifier { _ in }, cache: cache)
    for _ in 0..<2 { _ = try cached.verify(odd, at: .init(timeIntervalSince1970: TokenScene.now)) }
    #expect(cache.statistics.hits == 1)
  }
}
