import Foundation
import GatehouseJOSE
import TestSupport
import Testing

/// Keys that name the issuer for which they sign (`issuer`), as in Microsoft Entra's key sets.
struct `A key that names its issuer` {
  private static let host = "https://login.microsoftonline.com/"

  /// A verifier with one key, which names an issuer.
  private static func verifier(_ issuer: JSONValue?, accepting issuers: [AcceptedIssuer]?) throws -> TokenVerifier {
    var key = try #require(try JWK(.publicKey(TokenScene.rsa.publicKey), keyID: "rsa").json.object)
    key["issuer"] = issuer
    var policy = VerificationPolicy(algorithms: [.RS256])
    policy.issuers = issuers
    return TokenVerifier(keys: try JWKSet(["keys": [.object(key)]]), policy: policy)
  }

  private static func template(_ tenants: [String]? = nil) throws -> AcceptedIssuer {
    try .template(host + "{tenantid}/v2.0", claim: "tid", among: tenants)
  }

  /// The claims of a tenant's token.
  private static func claims(_ tenant: String) -> JSONObject {
    TokenScene.claims("iss", .string(host + tenant + "/v2.0")).with("tid", .string(tenant))
  }

  @Test func `signs for that tenant only, where the policy accepts each`() throws {
    let verifier = try Self.verifier(.string(Self.host + "t-1/v2.0"), accepting: [Self.template()])
    #expect(try TokenScene.refusal(of: Self.claims("t-1"), by: verifier) == nil)
    for tenant in ["t-2", "t-10", "T-1"] {
      let error = #expect(throws: AuthError.self) {
        try verifier.verify(TokenScene.signed(Self.claims(tenant)), at: Date(wall: TokenScene.now))
      }
      #expect(error?.code == .issuerMismatch)
      #expect(error?.message.contains("key") == true && error?.message.contains(tenant) == false, "\(tenant)")
    }
  }

  @Test func `signs for each tenant if it names a template, whatever the placeholder is called`() throws {
    for name in ["{tenantid}", "{tid}", "{x}"] {
      let verifier = try Self.verifier(.string(Self.host + name + "/v2.0"), accepting: [Self.template(["t-1", "t-2"])])
      for tenant in ["t-1", "t-2"] { #expect(try TokenScene.refusal(of: Self.claims(tenant), by: verifier) == nil) }
      #expect(try TokenScene.refusal(of: Self.claims("t-3"), by: verifier) == .issuerMismatch)
    }
  }

  @Test(arguments: [
    "https://sts.windows.net/{tenantid}/", "https://login.microsoftonline.com/{tenantid}/v1.0",
    "https://login.microsoftonline.com/{tenantid}/{tenantid}", "https://login.microsoftonline.com/{/v2.0",
    "https://login.microsoftonline.com/{}/v2.0", "https://login.microsoftonline.com/}t-1{/v2.0", "{tenantid}",
    "https://login.microsoftonline.com/t-1/v2.0/", "https://login.microsoftonline.com/T-1/v2.0", " ",
  ])
  func `signs for no other issuer, and for none if its template is broken`(issuer: String) throws {
    let verifier = try Self.verifier(.string(issuer), accepting: [Self.template()])
    #expect(try TokenScene.refusal(of: Self.claims("t-1"), by: verifier) == .issuerMismatch)
  }

  @Test(arguments: [nil, .null, "", 1, true, [], ["https://login.microsoftonline.com/t-2/v2.0"], [:]] as [JSONValue?])
  func `signs for each tenant of the policy if its issuer is no text`(issuer: JSONValue?) throws {
    let verifier = try Self.verifier(issuer, accepting: [Self.template()])
    #expect(try TokenScene.refusal(of: Self.claims("t-1"), by: verifier) == nil)
    #expect(verifier.keys.skipped == 0 && verifier.keys.keys[0].json["issuer"] == nil)
    #expect(verifier.keys.omissions.map(\.member) == (issuer == nil ? [] : ["issuer"]))
  }

  @Test func `signs for no other one where the policy names the issuers itself, or none`() throws {
    let one = AcceptedIssuer.exactly(Self.host + "t-1/v2.0"), other = AcceptedIssuer.exactly(Self.host + "t-2/v2.0")
    for issuers in [nil, [one], [one, other], [one, try Self.template()]] as [[AcceptedIssuer]?] {
      for (issuer, isTaken) in [
        ("t-1/v2.0", true), ("{tenantid}/v2.0", true), ("t-2/v2.0", false), ("{tenantid}/v1.0", false),
        ("t-1/v2.0/", false), ("T-1/v2.0", false), ("t-1{x}/v2.0", false), ("t-1/v2.0{x}", false), ("{/v2.0", false),
      ] {
        let verifier = try Self.verifier(.string(Self.host + issuer), accepting: issuers)
        let code = try TokenScene.refusal(of: Self.claims("t-1"), by: verifier)
        #expect(code == (isTaken ? nil : .issuerMismatch), "\(issuer)")
      }
      let verifier = try Self.verifier(nil, accepting: issuers)
      #expect(try TokenScene.refusal(of: Self.claims("t-1"), by: verifier) == nil)
    }
    // Of several templates, the one that accepts the token applies.
    let two = try [Self.template(["t-1"]), Self.template(["t-2"])]
    let verifier = try Self.verifier(.string(Self.host + "t-2/v2.0"), accepting: two)
    #expect(try TokenScene.refusal(of: Self.claims("t-2"), by: verifier) == nil)
    #expect(try TokenScene.refusal(of: Self.claims("t-1"), by: verifier) == .issuerMismatch)
  }

  @Test func `signs for no token without an issuer, and for no issuer with a slash in its tenant`() throws {
    for name in ["t-2/v2.0", "{tenantid}/v2.0"] {
      let verifier = try Self.verifier(.string(Self.host + name), accepting: nil)
      #expect(try TokenScene.refusal(of: Self.claims("t-1").with("iss", nil), by: verifier) == .issuerMismatch)
    }
    for tenant in ["", "t/1", "t?1", "t%2F1", String(repeating: "t", count: 129)] {
      let issuer = AcceptedIssuer.exactly(Self.host + tenant + "/v2.0")
      let verifier = try Self.verifier(.string(Self.host + "{tenantid}/v2.0"), accepting: [issuer])
      #expect(try TokenScene.refusal(of: Self.claims(tenant), by: verifier) == .issuerMismatch, "\(tenant)")
    }
  }

  @Test func `keeps it in JSON, in its public half and under another label`() throws {
    let issuer = JSONValue.string(Self.host + "{tenantid}/v2.0")
    let members = try #require(try JWK(.privateKey(TokenScene.p256), keyID: "k").jsonRevealingSecrets().object)
    let key = try JWK(.object(members.with("issuer", issuer)))
    #expect(key.json["issuer"] == issuer)
    #expect(try key.jsonRevealingSecrets()["issuer"] == issuer)
    let half = try #require(key.publicJWK)
    #expect(half.json["issuer"] == issuer)
    #expect(try half.relabelled(algorithm: .signature(.ES256), use: "sig").json["issuer"] == issuer)
    #expect(try JWKSet([half]).json["keys"]?.array?.first?["issuer"] == issuer)
  }

  @Test func `shares no remembered token with the same key of another issuer`() throws {
    let cache = TokenCache()
    let token = try TokenScene.signed(Self.claims("t-1"))
    let codes = try ["t-1", "t-2", "t-1"].map { tenant in
      let key = try Self.verifier(.string(Self.host + tenant + "/v2.0"), accepting: [Self.template()])
      let cached = try CachedTokenVerifier(key, cache: cache)
      return refusal { try cached.verify(token, at: Date(wall: TokenScene.now)) }
    }
    #expect(codes == [nil, .issuerMismatch, nil])
    #expect(cache.statistics.hits == 1)
  }

  @Test func `is ambiguous with the same key of another issuer, and both are skipped`() throws {
    let key = try #require(try JWK(.publicKey(TokenScene.rsa.publicKey), keyID: "rsa").json.object)
    let keys = ["a", "b", "a", nil].map { JSONValue.object(key.with("issuer", $0.map(JSONValue.string))) }
    let set = try JWKSet(["keys": .array(keys)])
    #expect(set.keys.isEmpty && set.omissions.map(\.index) == [0, 1, 3])
    #expect(set.omissions.allSatisfy { $0.member == nil && $0.message.contains("`issuer`") })
  }

  @Test func `is told apart from a token of another tenant in the error, which names what was expected`() throws {
    func message(_ claims: JSONObject, _ issuers: [AcceptedIssuer]) throws -> String? {
      let verifier = try Self.verifier(nil, accepting: issuers)
      let token = try TokenScene.signed(claims)
      return #expect(throws: AuthError.self) { try verifier.verify(token, at: Date(wall: TokenScene.now)) }?.message
    }
    let expected = "`iss` is not https://login.microsoftonline.com/{tid}/v2.0 with the token's `tid` for {tid}"
    let some = try [Self.template(["t-1"])]
    for (claims, ending) in [
      (Self.claims("t-1").with("tid", nil), ": `tid` is missing"),
      (Self.claims("t-1").with("tid", 7), ": `tid` is not 1 to 128 ASCII letters, digits, `-`, `.` and `_`"),
      (Self.claims("t-1").with("tid", "s/3"), ": `tid` is not 1 to 128 ASCII letters, digits, `-`, `.` and `_`"),
      (Self.claims("t-2"), ": `tid` is not one of the accepted tenants"),
      (Self.claims("t-2").with("tid", "t-1"), ""),
    ] as [(JSONObject, String)] {
      #expect(try message(claims, some) == expected + ending)
    }
    #expect(
      try message(Self.claims("t-1").with("iss", nil), [Self.template()])
        == "`iss` is missing, and must be https://login.microsoftonline.com/{tid}/v2.0 with the token's `tid` for {tid}"
    )
    #expect(
      try message(Self.claims("t-2"), [.exactly("https://a.example")] + some)
        == "`iss` is not https://a.example or https://login.microsoftonline.com/{tid}/v2.0 with the token's `tid` for "
        + "{tid}: `tid` is not one of the accepted tenants")
  }
}
