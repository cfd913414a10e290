public import GatehouseJOSE

/// What Firebase says of a user in an ID token: with RS256 a token of about 900 bytes.
public enum FirebaseClaims {
  public static let project = "demo"
  public static let issuer = "https://securetoken.google.com/demo"
  public static let keyID = "b7d2c0a95e1f48346fa9"

  /// The claims of a token that was made at a moment, in seconds since 1970, and lives for a day.
  public static func made(at now: Int64) -> JSONObject {
    let identities: JSONValue = ["email": ["ada@ex.org"]]
    return [
      "name": "Ada",
      "picture": "https://example.com/a.png",
      "iss": .string(issuer),
      "aud": .string(project),
      "auth_time": .number(JSONNumber(now)),
      "user_id": "Zk4vN1qTgXeWcRb7UyHs92LmPaD3",
      "sub": "Zk4vN1qTgXeWcRb7UyHs92LmPaD3",
      "iat": .number(JSONNumber(now)),
      "exp": .number(JSONNumber(now + 86_400)),
      "email": "ada@ex.org",
      "email_verified": true,
      "firebase": ["identities": identities, "sign_in_provider": "password"],
    ]
  }
}
