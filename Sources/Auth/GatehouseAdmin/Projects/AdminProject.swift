import GatehouseBase
import GatehouseJOSE

/// The operations of an administrator that sign or verify tokens without a call to the provider.
protocol AdminProject: Sendable {
  /// Whether the provider knows each sign-in of a user, by the claim `sid`.
  var knowsSessions: Bool { get }

  /// Verifies a token of the project.
  func verify(_ token: String, as kind: UserTokenKind) async throws(AuthError) -> VerifiedToken

  /// Signs a token that a user signs in with.
  func customToken(
    forUID uid: String, tenantID: String?, claims: JSONObject
  ) async throws(AuthError) -> String
}

/// The kinds of tokens that show that a user has signed in.
enum UserTokenKind: Sendable, Hashable {
  case idToken, sessionCookie

  /// Returns the requirements that such a token must meet.
  func policy(project: String, issuer: String?, _ clocks: any Clocks) -> VerificationPolicy {
    // The keys determine which of the two it is.
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
