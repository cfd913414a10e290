import GatehouseBase
import GatehouseJOSE

/// The access token of a service account. Its bearer is an administrator, for an hour, and only while the account and
/// its key exist.
///
/// Its type, issuer and audience are unique: no ID token, cookie or custom token is accepted as an access token, or
/// vice versa.
enum AccessToken {
  /// The lifetime, in seconds.
  static let lifetime: Int64 = 3600
  static let type = "at+jwt"
  /// The claim with the identifier of the account's key that the token was issued for.
  static let keyClaim = "key"
  private static let audience = "urn:gatehouse:administration"

  private static func issuer(_ options: LocalOptions) -> String { "administration@\(options.projectID)" }

  static func claims(
    of signer: ServiceAccountSigner, tokenID: String, _ options: LocalOptions, at now: Moment
  ) -> JSONObject {
    [
      "iss": .string(issuer(options)), "sub": .string(signer.account.email), "aud": .string(audience),
      "client_id": .string(signer.account.id), keyClaim: .string(signer.key.keyID), "jti": .string(tokenID),
      "iat": .number(JSONNumber(now.seconds)),
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
