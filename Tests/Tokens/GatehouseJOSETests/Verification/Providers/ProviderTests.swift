import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Tokens and key sets in the shapes of many providers, under the policies that users write for them.
struct ProviderTests {
  @Test(arguments: Providers.all)
  func `a provider's token is accepted, or refused for the reason that the table names`(shape: ProviderShape) throws {
    let (set, token) = try shape.made()
    let verifier = TokenVerifier(keys: set, policy: shape.policy)
    do {
      let verified = try verifier.verify(token, at: TokenScene.now)
      #expect(shape.refusal == nil)
      #expect(try JSONObject(parsing: shape.claims.utf8) == verified.claims)
    } catch let error as AuthError {
      #expect(error.code == shape.refusal?.code, "\(error)")
      #expect(error.message.contains(shape.refusal?.text ?? "accepted") || shape.refusal?.text == "", "\(error)")
    }
    #expect(set.omissions.compactMap(\.member) == shape.ignored)
    #expect(set.omissions.filter { $0.member == nil }.map { $0.keyID ?? "" } == shape.skipped)
  }

  @Test(arguments: Providers.all.filter { $0.refusal == nil })
  func `an accepted token is refused when it is over, by another key, and for another issuer or audience`(
    shape: ProviderShape
  ) throws {
    let (set, token) = try shape.made()
    let verifier = TokenVerifier(keys: set, policy: shape.policy)
    #expect(TokenScene.refusal(of: token, by: verifier, at: 2_000_000_000) == .tokenExpired)
    if let stranger = shape.stranger {
      #expect(try TokenScene.refusal(of: shape.token(signedBy: stranger), by: verifier) == .signatureInvalid)
    }
    var policy = shape.policy
    let isForAudience = policy.audiences != nil || policy.authorizedParty != nil
    #expect(isForAudience || policy.requiredClaims.count > 1, "the policy names no receiver")
    #expect(policy.issuers != nil || policy.audiences != nil)
    if policy.issuers != nil {
      policy.issuers = [.exactly("https://other.example")]
      #expect(TokenScene.refusal(of: token, by: TokenVerifier(keys: set, policy: policy)) == .issuerMismatch)
      policy.issuers = shape.policy.issuers
    }
    if policy.audiences != nil { policy.audiences = ["other"] } else { policy.authorizedParty = "other" }
    #expect(TokenScene.refusal(of: token, by: TokenVerifier(keys: set, policy: policy)) == .audienceMismatch)
  }

  @Test func `the table has these providers`() {
    let named = [
      "Google", "Apple", "Auth0", "Okta", "Keycloak", "Cognito", "Entra, version 1", "Entra, version 2", "AD FS",
      "GitHub Actions", "GitLab", "Kubernetes", "Clerk", "Supabase", "WorkOS", "PingOne", "PingFederate", "Salesforce",
      "Firebase", "Google IAP", "Azure AD B2C", "Zitadel", "FusionAuth", "OneLogin", "Descope", "Stytch",
    ]
    for name in named { #expect(Providers.all.contains { $0.name.hasPrefix(name) && $0.refusal == nil }, "\(name)") }
    #expect(Set(Providers.all.map(\.name)).count == Providers.all.count)
  }
}
