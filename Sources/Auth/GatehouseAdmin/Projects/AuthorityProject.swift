import GatehouseBase
import GatehouseJOSE

/// A project whose provider is in this process.
struct AuthorityProject: AdminProject {
  let authority: any TokenAuthority
  let clocks: any Clocks
  let knowsSessions = true

  func verify(_ token: String, as kind: UserTokenKind) async throws(AuthError) -> VerifiedToken {
    let policy = kind.policy(project: authority.audience, issuer: authority.issuer, clocks)
    let keys = try await typed { try await authority.keySet() }
    return try typed { try TokenVerifier(keys: keys, policy: policy).verify(token) }
  }

  func customToken(
    forUID uid: String, tenantID: String?, claims: JSONObject
  ) async throws(AuthError) -> String {
    try await typed { try await authority.customToken(forUser: uid, tenantID: tenantID, claims: claims) }
  }
}
