import GatehouseJOSE
import TestSupport
import Testing

/// The rules that bind an ID token to one sign-in (OpenID Connect Core §3.1.3.7, §3.1.3.8 and §3.3.2.10).
struct `An ID token of one sign-in` {
  private static func verifier(
    _ algorithm: JWSAlgorithm = .RS256, _ change: (inout VerificationPolicy) -> Void
  ) throws -> (TokenSigner, TokenVerifier) {
    let (signer, keys) = try SigningKeys.pair(algorithm)
    var policy = VerificationPolicy(algorithms: [algorithm])
    change(&policy)
    return (signer, TokenVerifier(keys: keys, policy: policy))
  }

  private static func refusal(
    _ name: String, _ value: JSONValue?, _ algorithm: JWSAlgorithm = .RS256,
    _ change: (inout VerificationPolicy) -> Void
  ) throws -> AuthError.Code? {
    let (signer, verifier) = try verifier(algorithm, change)
    return TokenScene.refusal(of: try signer.sign(TokenScene.claims(name, value)), by: verifier)
  }

  @Test func `has the nonce of the request`() throws {
    let ask = { (policy: inout VerificationPolicy) in policy.nonce = "n-0S6_WzA2Mj" }
    #expect(try Self.refusal("nonce", "n-0S6_WzA2Mj", .RS256, ask) == nil)
    for value in [nil, .null, "", "n-0S6_WzA2M", "n-0S6_WzA2Mj ", "N-0S6_WzA2Mj", 1, ["n-0S6_WzA2Mj"]] as [JSONValue?] {
      #expect(try Self.refusal("nonce", value, .RS256, ask) == .claimInvalid, "\(value ?? "none")")
    }
    #expect(try Self.refusal("nonce", "caf\u{E9}") { $0.nonce = "caf\u{E9}" } == nil)
    #expect(try Self.refusal("nonce", "cafe\u{301}") { $0.nonce = "caf\u{E9}" } == .claimInvalid)
    // An empty nonce requires an empty one; without a nonce, the claim is not checked.
    #expect(try Self.refusal("nonce", nil) { $0.nonce = "" } == .claimInvalid)
    for value in [nil, "other", 1] as [JSONValue?] { #expect(try Self.refusal("nonce", value) { _ in } == nil) }
  }

  /// The `at_hash` of `an.access.token` and the `c_hash` of `a-code` by the size of the hash, computed with `printf
  /// an.access.token | openssl dgst -sha256 -binary | head -c 16 | basenc --base64url`.
  private static let hashes: [(access: JSONValue, code: JSONValue)] = [
    ("UkM2b42E54u4hWzuKV_B3w", "kSvsCq3hutEBcZ2-LoL_9A"),
    ("CyIQMdSVPfvEOEkdorAQ-2RdKUjNCyok", "teLnHeUYtfC4CcMI1FGwCPm0K_-96KnF"),
    ("vspxlYw8tduXlXZykxNf_W4lu6vuhXj7kxx5IEIpLPI", "6_oTmDzHXpTDy-pPAkzEbLtjinmDGSXglM9pDocVBuc"),
  ]

  private static let algorithms: [(JWSAlgorithm, Int)] = [
    (.HS256, 0), (.RS256, 0), (.PS256, 0), (.ES256, 0), (.ES256K, 0), (.HS384, 1), (.RS384, 1), (.PS384, 1),
    (.ES384, 1),
    (.HS512, 2), (.RS512, 2), (.PS512, 2), (.ES512, 2), (.EdDSA, 2), (.Ed25519, 2),
  ]

  @Test(arguments: algorithms)
  func `has the hashes of the access token and the code, made as its algorithm says`(
    algorithm: JWSAlgorithm, size: Int
  ) throws {
    for (other, hashes) in Self.hashes.enumerated() {
      let code: AuthError.Code? = other == size ? nil : .claimInvalid
      #expect(
        try Self.refusal("at_hash", hashes.access, algorithm) { $0.accompanyingAccessToken = Secret("an.access.token") }
          == code)
      #expect(
        try Self.refusal("c_hash", hashes.code, algorithm) { $0.accompanyingCode = Secret("a-code") } == code)
    }
  }

  @Test func `has them as OpenID Connect Core prints them`() throws {
    let token = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
    #expect(try Self.refusal("at_hash", "77QmUPtjPfzWtF2AnpK9RQ") { $0.accompanyingAccessToken = token } == nil)
    let code = Secret("Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk")
    #expect(try Self.refusal("c_hash", "LDktKdoQak3Pk0cnXxCltA") { $0.accompanyingCode = code } == nil)
  }

  @Test func `is refused without them, or with another's`() throws {
    for value in [nil, .null, "", 1, ["77QmUPtjPfzWtF2AnpK9RQ"], "77QmUPtjPfzWtF2AnpK9RQ="] as [JSONValue?] {
      for token in ["an.access.token", "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"] {
        #expect(try Self.refusal("at_hash", value) { $0.accompanyingAccessToken = Secret(token) } == .claimInvalid)
        #expect(try Self.refusal("c_hash", value) { $0.accompanyingCode = Secret(token) } == .claimInvalid)
      }
    }
    #expect(
      try Self.refusal("at_hash", "77QmUPtjPfzWtF2AnpK9RQ") { $0.accompanyingAccessToken = Secret("an.access.token") }
        == .claimInvalid)
    for value in [nil, "x", 1] as [JSONValue?] { #expect(try Self.refusal("at_hash", value) { _ in } == nil) }
  }

  @Test(arguments: [JWSAlgorithm.Ed448, .EdDSA])
  func `has no hash by Ed448, which needs one that is not supported`(algorithm: JWSAlgorithm) throws {
    let key = try JWK(.privateKey(SigningKeys.ed448), keyID: "k")
    var policy = VerificationPolicy(algorithms: [algorithm])
    policy.accompanyingAccessToken = Secret("an.access.token")
    let verifier = TokenVerifier(keys: try JWKSet([#require(key.publicJWK)]), policy: policy)
    let token = try TokenSigner(key, algorithm: algorithm).sign(TokenScene.claims("at_hash", Self.hashes[2].access))
    #expect(TokenScene.refusal(of: token, by: verifier) == .algorithmRefused)
  }

  @Test func `has a policy that shows neither the access token nor the code`() {
    var policy = VerificationPolicy(algorithms: [.RS256])
    policy.accompanyingAccessToken = Secret("s3cr3t")
    policy.accompanyingCode = Secret("s3cr3t")
    var dumped = ""
    dump(policy, to: &dumped)
    #expect(!"\(policy)".contains("s3cr3t") && !dumped.contains("s3cr3t"))
  }
}
