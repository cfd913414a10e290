import GatehouseJOSE
import TestSupport
import Testing

/// The allowed clock difference of a policy that does not specify one.
struct `The default leeway` {
  private static let policies: [VerificationPolicy] = [
    VerificationPolicy(algorithms: [.RS256]), VerificationPolicy(algorithms: [.RS256], issuer: "i", audience: "a"),
    VerificationPolicy(algorithms: [.RS256], issuers: nil, audiences: nil),
    .accessToken(issuer: "i", audience: "a", algorithms: [.RS256]),
    .boundAccessToken(issuer: "i", audience: "a", algorithms: [.RS256]),
    .firebaseIDToken(project: "demo"), .firebaseSessionCookie(project: "demo"),
  ]

  @Test func `is five seconds, also for Firebase's tokens`() {
    #expect(VerificationPolicy.defaultLeeway == .seconds(5))
    for policy in Self.policies { #expect(policy.leeway == .seconds(5)) }
    #expect(DPoPVerifier(replays: MemoryReplayStore()).leeway == .seconds(5))
  }

  @Test(arguments: ["iat", "nbf"])
  func `takes what begins in five seconds, and nothing later`(name: String) throws {
    let verifier = TokenVerifier(keys: TokenScene.keys, policy: Self.policies[0])
    for (ahead, code) in [(0, nil), (4.999, nil), (5, nil), (5.001, .tokenNotYetValid), (6, .tokenNotYetValid)]
      as [(Double, AuthError.Code?)]
    {
      let token = try TokenScene.signed(TokenScene.claims(name, 1_700_000_000))
      #expect(TokenScene.refusal(of: token, by: verifier, at: 1_700_000_000 - ahead) == code, "\(ahead)")
    }
  }

  @Test func `takes what ended less than five seconds ago, and nothing earlier`() throws {
    let verifier = TokenVerifier(keys: TokenScene.keys, policy: Self.policies[0])
    let token = try TokenScene.signed(TokenScene.claims("exp", 1_700_000_000))
    for (late, code) in [(0, nil), (4.999, nil), (5, .tokenExpired), (6, .tokenExpired)] as [(Double, AuthError.Code?)]
    {
      #expect(TokenScene.refusal(of: token, by: verifier, at: 1_700_000_000 + late) == code, "\(late)")
    }
  }

  @Test(arguments: [
    (1.0, "1 second ago"), (90, "90 seconds ago"), (119.9, "119 seconds ago"), (120, "2 minutes ago"),
    (7_200, "2 hours ago"), (172_800, "2 days ago"), (1e300, "in the past"),
  ])
  func `a refusal says since when the token has expired`(late: Double, words: String) throws {
    let policy = VerificationPolicy(algorithms: [.RS256], leeway: .zero)
    let verifier = TokenVerifier(keys: TokenScene.keys, policy: policy)
    let token = try TokenScene.signed(TokenScene.claims("exp", 1_700_000_000))
    let error = #expect(throws: AuthError.self) { try verifier.verify(token, at: 1_700_000_000 + late) }
    #expect(error?.code == .tokenExpired && error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [(Duration.seconds(-1), Duration.zero), (.seconds(61), .seconds(60)), (.seconds(7), .seconds(7))])
  func `of a proof is changed to what is used, and read back so`(asked: Duration, given: Duration) {
    var verifier = DPoPVerifier(replays: MemoryReplayStore())
    verifier.leeway = asked
    #expect(verifier.leeway == given)
  }
}
