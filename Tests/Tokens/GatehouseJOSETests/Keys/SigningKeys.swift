import GatehouseJOSE
import TestSupport
import Testing

/// A key for each algorithm, generated once.
enum SigningKeys {
  static let rsa3072 = made(.rsa(bits: 3072))
  static let rsa4096 = made(.rsa(bits: 4096))
  static let p384 = made(.p384)
  static let p521 = made(.p521)
  static let secp256k1 = made(.secp256k1)
  static let ed448 = made(.ed448)
  static let secret = TokenScene.made { try SecretKey.generate(count: 64) }

  /// Every kind of key, by the name of its kind.
  static let all: KeyValuePairs<String, JWK.Key> = [
    "rsa": .privateKey(TokenScene.rsa), "p256": .privateKey(TokenScene.p256), "p384": .privateKey(p384),
    "p521": .privateKey(p521), "secp256k1": .privateKey(secp256k1), "ed25519": .privateKey(TokenScene.ed25519),
    "ed448": .privateKey(ed448), "secret": .symmetric(secret),
  ]

  static func key(for algorithm: JWSAlgorithm) -> JWK.Key {
    switch algorithm {
    case .HS256, .HS384, .HS512: .symmetric(secret)
    case .RS256, .RS384, .RS512, .PS256, .PS384, .PS512: .privateKey(TokenScene.rsa)
    case .ES256: .privateKey(TokenScene.p256)
    case .ES384: .privateKey(p384)
    case .ES512: .privateKey(p521)
    case .ES256K: .privateKey(secp256k1)
    case .EdDSA, .Ed25519: .privateKey(TokenScene.ed25519)
    case .Ed448: .privateKey(ed448)
    }
  }

  /// A signer with an algorithm, and the set that verifies its signatures.
  static func pair(_ algorithm: JWSAlgorithm, keyID: String? = "k") throws -> (TokenSigner, JWKSet) {
    let jwk = try JWK(key(for: algorithm), keyID: keyID, algorithm: algorithm)
    return (try TokenSigner(jwk), try JWKSet([jwk.publicJWK ?? jwk]))
  }

  private static func made(_ type: KeyType) -> PrivateKey { TokenScene.made { try PrivateKey.generate(type) } }
}
