import GatehouseBase
import GatehouseJOSE

/// The access token of a service account: its bearer is an administrator, for an hour and no longer than there is the
/// account.
///
/// Its type, issuer and audience are its own: no ID token, cookie or custom token passes for one, nor it for them.
enum AccessToken {
  /// Seconds.
  static let lifetime: Int64 = 3600
  static let type = "at+jwt"
  private static let audience = "urn:gatehouse:administration"

  private static func issuer(_ options: LocalOptions) -> String { "administration@\(options.projectID)" }

  static func claims(
    of email: String, _ id: String, tokenID: String, _ options: LocalOptions, at now: Moment
  ) -> JSONObject {
    [
      "iss": .string(issuer(options)), "sub": .string(email), "aud": .string(audience), "client_id": .string(id),
      "jti": .string(tokenID), "iat": .number(JSONNumber(now.seconds)),
      "exp": .number(JSONNumber(now.seconds + lifetime)),
    ]
  }

  static func policy(_ options: LocalOptions) -> VerificationPolicy {
    var policy = VerificationPolicy.accessToken(
      issuer: issuer(options), audience: audience, algorithms: Set(LocalOptions.Signing.allCases.map(\.algorithm)),
      leeway: .zero)
    policy.requiresKeyID = true
    policy.maximumLifetime = .seconds(lifetime)
    return policy
  }
}
