import GatehouseJOSE
import TestSupport
import Testing

/// One key of each kind, generated once, and tokens signed with them.
enum TokenScene {
  static let rsa = key(.rsa(bits: 2048))
  static let p256 = key(.p256)
  static let ed25519 = key(.ed25519)
  /// A key that the tests do not trust.
  static let stranger = key(.rsa(bits: 2048))

  /// The keys that the tests trust.
  static let keys = made {
    try JWKSet([
      JWK(.publicKey(rsa.publicKey), keyID: "rsa", algorithm: .RS256),
      JWK(.publicKey(p256.publicKey), keyID: "p256", algorithm: .ES256),
      JWK(.publicKey(ed25519.publicKey), keyID: "ed25519"),
    ])
  }

  static let now: Double = 1_700_000_000

  /// The claims of a good token of the project `demo`.
  static let claims: JSONObject = [
    "iss": "https://securetoken.google.com/demo", "aud": "demo", "auth_time": 1_699_999_000, "sub": "user-1",
    "iat": 1_699_999_900, "exp": 1_700_003_500,
  ]

  static let verifier = TokenVerifier(keys: keys, policy: .firebaseIDToken(project: "demo", leeway: .zero))

  /// The good claims with one of them replaced or removed.
  static func claims(_ name: String, _ value: JSONValue?) -> JSONObject {
    var claims = claims
    claims[name] = value
    return claims
  }

  static func signed(_ claims: JSONObject = claims) throws -> String {
    try TokenSigner(key: rsa, keyID: "rsa").sign(claims)
  }

  /// A token with the given payload and header, and a valid signature.
  static func signed(payload: String, header: JSONObject = header) throws -> String {
    try TokenSigner(key: rsa, keyID: "rsa").sign(payload: Array(payload.utf8), header: header)
  }

  static let header: JSONObject = ["alg": "RS256", "kid": "rsa", "typ": "JWT"]

  /// The good header with one member replaced or removed.
  static func header(_ name: String, _ value: JSONValue?) -> JSONObject {
    var header = header
    header[name] = value
    return header
  }

  /// The error with which the verifier rejects a token; `nil` if it accepts the token.
  static func refusal(
    of token: String, by verifier: TokenVerifier = verifier, at now: Double = now
  ) -> AuthError.Code? {
    do {
      _ = try verifier.verify(token, at: now)
      return nil
    } catch { return error.code }
  }

  /// The error with which the verifier rejects a token with these claims.
  static func refusal(of claims: JSONObject, by verifier: TokenVerifier = verifier) throws -> AuthError.Code? {
    refusal(of: try signed(claims), by: verifier)
  }

  private static func key(_ type: KeyType) -> PrivateKey { made { try PrivateKey.generate(type) } }

  /// Returns a value that the tests require.
  static func made<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { fatalError("the scene cannot be set: \(error)") }
  }
}
