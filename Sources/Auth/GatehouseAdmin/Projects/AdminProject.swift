import GatehouseBase
import GatehouseJOSE

/// What an administrator does without a call: tokens are verified and signed here.
protocol AdminProject: Sendable {
  /// Verifies a token of the project.
  func verify(_ token: String, as kind: UserTokenKind) async throws(AuthError) -> VerifiedToken

  /// Signs a token with which a user signs in.
  func customToken(
    forUID uid: String, tenantID: String?, claims: JSONObject
  ) async throws(AuthError) -> String
}

/// What shows that a user has signed in.
enum UserTokenKind: Sendable, Hashable {
  case idToken, sessionCookie

  /// What such a token must be.
  func policy(project: String, issuer: String?, _ clocks: any Clocks) -> VerificationPolicy {
    // The keys say which of the two it is.
    let algorithms: Set<JWSAlgorithm> = [.RS256, .ES256]
    var policy: VerificationPolicy
    switch self {
    case .idToken:
      policy = .firebaseIDToken(project: project, algorithms: algorithms)
      if let issuer { policy.issuer = issuer }
    case .sessionCookie: policy = .firebaseSessionCookie(project: project, algorithms: algorithms)
    }
    policy.requiredClaims.append("auth_time")
    policy.clocks = clocks
    return policy
  }
}
