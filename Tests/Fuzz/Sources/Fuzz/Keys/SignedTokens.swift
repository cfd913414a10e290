import GatehouseJOSE

/// Tokens that are good by `Keys`: the only ones besides our forgeries.
enum SignedTokens {
  /// When all of them are good, in seconds since 1970.
  static let now: Double = 1_800_000_000

  static let claims: JSONObject = [
    "iss": "https://issuer.example", "aud": "fuzz", "sub": "user", "iat": 1_799_999_990, "exp": 1_800_003_600,
    "jti": "1", "nonce": "n",
  ]

  static let tokens: [String] =
    [(Keys.secret, .HS256), (Keys.secret, .HS384), (Keys.secret, .HS512), (Keys.ed25519, .EdDSA), (Keys.ec, .ES256)]
    .map { (key: JWK, algorithm: JWSAlgorithm) in token(key, algorithm) }
    + [JWSAlgorithm.RS256, .PS256].map { token(Keys.rsa, $0) }

  /// What was signed, of each.
  static let signed = Set(tokens.map(signedPart))

  /// Header and payload, as they are spelled.
  static func signedPart(_ token: String) -> [UInt8] {
    Array(token.utf8.prefix(upTo: token.utf8.lastIndex(of: UInt8(ascii: ".")) ?? token.utf8.endIndex))
  }

  private static func token(_ key: JWK, _ algorithm: JWSAlgorithm) -> String {
    sure { try Keys.signer(key, algorithm).sign(claims) }
  }
}
