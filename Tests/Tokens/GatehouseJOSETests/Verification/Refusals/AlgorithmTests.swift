import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Which key verifies which algorithm, regardless of the header (group 9).
struct `An algorithm` {
  /// The algorithms for each kind of key, by their names in RFC 7518, 8037, 8812 and 9864.
  private static let served: [String: Set<JWSAlgorithm>] = [
    "rsa": [.RS256, .RS384, .RS512, .PS256, .PS384, .PS512], "p256": [.ES256], "p384": [.ES384], "p521": [.ES512],
    "secp256k1": [.ES256K], "ed25519": [.EdDSA, .Ed25519], "ed448": [.EdDSA, .Ed448],
    "secret": [.HS256, .HS384, .HS512],
  ]

  /// The error with which a token is rejected whose header names another algorithm than the one it is signed with.
  private func refusal(
    _ name: String, signedBy key: JWK.Key, with algorithm: JWSAlgorithm? = nil, boundTo bound: JWSAlgorithm? = nil,
    allowed: Set<JWSAlgorithm> = Set(JWSAlgorithm.allCases)
  ) throws -> AuthError.Code? {
    let jwk = try JWK(key, keyID: "k", algorithm: bound)
    let set = try JWKSet([jwk.publicJWK ?? jwk])
    let header: JSONObject = ["alg": .string(name), "kid": "k"]
    let token = try TokenSigner(JWK(key), algorithm: algorithm).sign(
      payload: TokenScene.claims.serialized(), header: header)
    return TokenScene.refusal(of: token, by: TokenVerifier(keys: set, policy: VerificationPolicy(algorithms: allowed)))
  }

  @Test func `has the name of its RFC (7518, 8037, 8812, 9864)`() {
    #expect(
      JWSAlgorithm.allCases.map(\.rawValue) == [
        "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
        "ES256K", "EdDSA", "Ed25519", "Ed448",
      ])
  }

  @Test(arguments: SigningKeys.all.map(\.key))
  func `is its key's, or the token is refused (group 9)`(kind: String) throws {
    let key = try #require(SigningKeys.all.first { $0.key == kind }?.value)
    let served = try #require(Self.served[kind])
    for algorithm in JWSAlgorithm.allCases {
      if served.contains(algorithm) {
        #expect(try refusal(algorithm.rawValue, signedBy: key, with: algorithm) == nil, "\(algorithm)")
      } else {
        #expect(try refusal(algorithm.rawValue, signedBy: key) == .algorithmRefused, "\(algorithm)")
      }
    }
  }

  @Test func `of one RSA key is not another of it: RS256 is not PS256 (group 9)`() throws {
    let rsa = JWK.Key.privateKey(TokenScene.rsa)
    let all = Self.served["rsa"] ?? []
    for signed in all {
      for named in all where named != signed {
        #expect(try refusal(named.rawValue, signedBy: rsa, with: signed) == .signatureInvalid, "\(signed) as \(named)")
        #expect(
          try refusal(named.rawValue, signedBy: rsa, with: named, boundTo: signed) == .algorithmRefused,
          "\(named) by a key for \(signed)")
      }
      #expect(try refusal(signed.rawValue, signedBy: rsa, with: signed, boundTo: signed) == nil)
    }
  }

  @Test func `of the Edwards curves is the one that the key is bound to (group 9)`() throws {
    let ed25519 = JWK.Key.privateKey(TokenScene.ed25519)
    #expect(try refusal("EdDSA", signedBy: ed25519, boundTo: .Ed25519) == .algorithmRefused)
    #expect(try refusal("Ed25519", signedBy: ed25519, boundTo: .EdDSA) == .algorithmRefused)
    #expect(try refusal("Ed25519", signedBy: ed25519, boundTo: .Ed25519) == nil)
    #expect(try refusal("EdDSA", signedBy: ed25519, allowed: [.Ed25519]) == .algorithmRefused)
    #expect(try refusal("Ed448", signedBy: .privateKey(SigningKeys.ed448), allowed: [.EdDSA]) == .algorithmRefused)
  }

  @Test func `is refused by a policy that allows none, or only others (group 9)`() throws {
    for algorithm in JWSAlgorithm.allCases {
      let key = SigningKeys.key(for: algorithm)
      let others = Set(JWSAlgorithm.allCases).subtracting([algorithm])
      for allowed in [[], others] {
        #expect(
          try refusal(algorithm.rawValue, signedBy: key, with: algorithm, allowed: allowed) == .algorithmRefused)
      }
    }
  }

  @Test func `is spelled in bytes: the sign for kelvin is no K (group 9)`() throws {
    #expect("ES256\u{212A}" == "ES256K", "or this test would say nothing")
    let key = JWK.Key.privateKey(SigningKeys.secp256k1)
    #expect(try refusal("ES256K", signedBy: key) == nil)
    #expect(try refusal("ES256\u{212A}", signedBy: key) == .algorithmRefused)
    #expect(try refusal("ES256\u{212A}", signedBy: key, boundTo: .ES256K) == .algorithmRefused)
    let messages = JWSVerifier(
      keys: try JWKSet([JWK(.publicKey(SigningKeys.secp256k1.publicKey))]), algorithms: [.ES256K])
    let message = try TokenSigner(key: SigningKeys.secp256k1).sign(payload: [], header: ["alg": "ES256\u{212A}"])
    #expect(TestSupport.refusal { try messages.verify(message) } == .algorithmRefused)
  }

  @Test func `and the type and the uses of a key are spelled in bytes too (groups 9 and 18)`() throws {
    func refusal(_ key: PrivateKey, _ name: String, _ value: JSONValue) throws -> AuthError.Code? {
      var members = try #require(JWK(.publicKey(key.publicKey)).json.object)
      members[name] = value
      return TestSupport.refusal { try JWK(.object(members)) }
    }
    let type = try refusal(TokenScene.ed25519, "kty", "O\u{212A}P")
    #expect(type == .keyUnsupported)
    #expect(try refusal(SigningKeys.secp256k1, "alg", "ES256\u{212A}") == .keyUnsupported)
    #expect(try refusal(SigningKeys.p384, "alg", "ECDH-ES+A128\u{212A}W") == .keyUnsupported)
    #expect(try refusal(SigningKeys.secp256k1, "crv", "secp256\u{212A}1") == .keyUnsupported)
    let secret: JSONValue = ["kty": "oct", "alg": "A128\u{212A}W", "k": "AAAAAAAAAAAAAAAAAAAAAA"]
    #expect(TestSupport.refusal { try JWK(secret) } == .keyUnsupported)
    let wraps = try JWK(["kty": "oct", "k": "AAAAAAAAAAAAAAAAAAAAAA", "key_ops": ["wrap\u{212A}ey"]])
    #expect(!wraps.encrypts(.A128KW, .A128GCM))
    #expect(
      TestSupport.refusal { try TokenEncrypter(wraps, algorithm: .A128KW) }
        == .algorithmRefused)
  }

  @Test(arguments: JWSAlgorithm.allCases.filter { $0.mac != nil })
  func `of shared secrets takes no public key for one, in any of its forms (group 9)`(algorithm: JWSAlgorithm) throws {
    for (kind, key) in SigningKeys.all {
      guard case .privateKey(let key) = key else { continue }
      let pem = try key.publicKey.pem()
      let der = bytes(base64: pem.split(separator: "\n").dropFirst().dropLast().joined())
      let json = try JWK(.publicKey(key.publicKey)).json
      var forms = [
        Array(pem.utf8), Array(pem.replacing("\n", with: "\r\n").utf8), Array(("Public-Key: (256 bit)\n" + pem).utf8),
        der, json.serialized(), JSONValue.object(["keys": [json]]).serialized(), Array(" \n\(json)".utf8),
      ]
      // PKCS #1: the sequence of modulus and exponent in the bit string at the end.
      if kind == "rsa" { forms.append(Array(der.dropFirst(24))) }
      for form in forms where SecretKey.lengths.contains(form.count) {
        #expect(TestSupport.refusal { try SecretKey(form) } == .keyInvalid, "\(kind)")
        let jwk: JSONValue = ["kty": "oct", "alg": .string(algorithm.rawValue), "k": .string(Base64URL.encode(form))]
        #expect(TestSupport.refusal { try JWK(jwk) } == .keyInvalid, "\(kind)")
      }
    }
  }
}
