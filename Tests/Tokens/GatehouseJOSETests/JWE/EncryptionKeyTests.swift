import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `A key for encryption` {
  private static let pair = EncryptionScene.made { try PrivateKey.generate(.p256) }
  private static let secret = EncryptionScene.made { try SecretKey.generate(count: 32) }

  @Test(arguments: JWEAlgorithm.allCases)
  func `comes back from its JSON, and serves its own algorithm only`(algorithm: JWEAlgorithm) throws {
    let way = try #require(EncryptionScene.ways.first { $0.algorithm == algorithm })
    let key = try EncryptionScene.jwk(way.name).key
    let jwk = try JWK(parsing: JWK(key, keyID: "k", algorithm: algorithm).jsonRevealingSecrets().serialized())
    #expect(jwk.algorithm == .encryption(algorithm))
    #expect(jwk.use == "enc")
    for other in JWEAlgorithm.allCases {
      let serves = ContentEncryption.allCases.contains { jwk.encrypts(other, $0) && jwk.decrypts(other, $0) }
      #expect(serves == (other == algorithm))
    }
    for other in JWSAlgorithm.allCases { #expect(!jwk.signs(other) && !jwk.verifies(other)) }
    if let half = jwk.publicJWK {
      #expect(half.algorithm == jwk.algorithm)
      #expect(ContentEncryption.allCases.allSatisfy { half.encrypts(algorithm, $0) && !half.decrypts(algorithm, $0) })
    }
  }

  @Test func `may be for one way to encrypt, with its secret itself`() throws {
    let json: JSONValue = ["kty": "oct", "k": .string(Base64URL.encode(0..<16)), "alg": "A128GCM", "use": "enc"]
    let jwk = try JWK(json)
    #expect(jwk.algorithm == .contentEncryption(.A128GCM))
    #expect(try jwk.jsonRevealingSecrets()["alg"] == "A128GCM")
    #expect(jwk.decrypts(.dir, .A128GCM))
    #expect(!jwk.decrypts(.A128KW, .A128GCM))
    #expect(try TokenEncrypter(jwk).algorithm == .dir)
    let ofOtherSize: JSONValue = ["kty": "oct", "k": .string(Base64URL.encode(0..<32)), "alg": "A128GCM"]
    #expect(refusal { try JWK(ofOtherSize) } == .algorithmRefused)
    let shorter: JSONValue = ["kty": "oct", "k": .string(Base64URL.encode(0..<16)), "alg": "A256GCM"]
    #expect(refusal { try JWK(shorter) } == .keyInvalid)
  }

  @Test func `does not take an algorithm that its type does not serve`() throws {
    for algorithm in JWEAlgorithm.allCases where !algorithm.rawValue.hasPrefix("ECDH") {
      #expect(
        refusal { try JWK(.privateKey(Self.pair), algorithm: algorithm) }
          == .algorithmRefused)
    }
    #expect(
      refusal { try JWK(.symmetric(Self.secret), algorithm: .A128KW) } == .algorithmRefused)
    #expect(
      refusal { try JWK(.symmetric(Self.secret), algorithm: .ECDHES) } == .algorithmRefused)
    let signs = try PrivateKey.generate(.ed25519)
    #expect(refusal { try JWK(.privateKey(signs), algorithm: .ECDHES) } == .algorithmRefused)
    let p256k = try PrivateKey.generate(.secp256k1)
    #expect(refusal { try JWK(.privateKey(p256k), algorithm: .ECDHES) } == .algorithmRefused)
  }

  @Test func `does what its key_ops allow, and no more`() throws {
    func may(_ key: JWK.Key, _ operations: [String]?, _ algorithm: JWEAlgorithm) throws -> [Bool] {
      let jwk = try JWK(key, operations: operations)
      return [jwk.encrypts(algorithm, .A256GCM), jwk.decrypts(algorithm, .A256GCM)]
    }
    let agrees = JWK.Key.privateKey(Self.pair)
    let rsa = JWK.Key.privateKey(TokenScene.rsa)
    let secret = JWK.Key.symmetric(Self.secret)
    #expect(try may(agrees, nil, .ECDHES) == [true, true])
    #expect(try may(agrees, ["deriveKey"], .ECDHES) == [true, true])
    #expect(try may(agrees, ["deriveBits"], .ECDHESA128KW) == [true, true])
    #expect(try may(agrees, ["sign"], .ECDHES) == [false, false])
    #expect(try may(agrees, [], .ECDHES) == [true, false])
    #expect(try may(rsa, ["decrypt"], .RSAOAEP256) == [false, true])
    #expect(try may(rsa, ["unwrapKey"], .RSAOAEP256) == [false, true])
    #expect(try may(rsa, ["encrypt"], .RSAOAEP256) == [true, false])
    #expect(try may(rsa, ["wrapKey", "sign"], .RSAOAEP256) == [true, false])
    #expect(try may(rsa, [], .RSAOAEP256) == [false, false])
    #expect(try may(secret, ["encrypt", "decrypt"], .dir) == [true, true])
    #expect(try may(secret, ["encrypt", "decrypt"], .A256KW) == [false, false])
    #expect(try may(secret, ["wrapKey", "unwrapKey"], .A256KW) == [true, true])
    #expect(try may(secret, ["wrapKey", "unwrap\u{212A}ey"], .A256KW) == [true, false])
    #expect(try may(secret, ["wrapKey", "unwrapKey"], .dir) == [false, false])

    #expect(try JWK(rsa, operations: ["decrypt", "unwrapKey"]).publicJWK?.operations == ["encrypt", "wrapKey"])
    #expect(try JWK(rsa, operations: ["sign", "decrypt"]).publicJWK?.operations == ["verify", "encrypt"])
    #expect(try JWK(agrees, operations: ["deriveKey"]).publicJWK?.operations == [])
  }

  @Test func `for one way to encrypt messages serves no other, though its length would`() throws {
    let secret = JSONValue.string(Base64URL.encode(Array(repeating: 7, count: 32)))
    let jwk = try JWK(["kty": "oct", "k": secret, "alg": "A256GCM"])
    #expect(jwk.encrypts(.dir, .A256GCM) && jwk.decrypts(.dir, .A256GCM))
    #expect(!jwk.encrypts(.dir, .A128CBCHS256) && !jwk.decrypts(.dir, .A128CBCHS256))
    #expect(!jwk.encrypts(.A256KW, .A256GCM) && !jwk.decrypts(.A256KW, .A256GCM))
  }

  @Test func `encrypts only as it may, whoever asks`() throws {
    func refusal(_ jwk: JWK, _ algorithm: JWEAlgorithm?, _ encryption: ContentEncryption? = nil) -> AuthError.Code? {
      TestSupport.refusal {
        try TokenEncrypter(jwk, algorithm: algorithm, encryption: encryption)
      }
    }
    let rsa = JWK.Key.privateKey(TokenScene.rsa)
    #expect(try refusal(JWK(rsa), .RSAOAEP256) == nil)
    for algorithm in JWEAlgorithm.usual where algorithm != .RSAOAEP256 {
      #expect(try refusal(JWK(rsa), algorithm) == .algorithmRefused)
    }
    #expect(try refusal(JWK(rsa, use: "sig"), .RSAOAEP256) == .algorithmRefused)
    #expect(try refusal(JWK(rsa, operations: ["decrypt"]), .RSAOAEP256) == .algorithmRefused)
    #expect(try refusal(JWK(rsa, algorithm: .RS256), .RSAOAEP256) == .algorithmRefused)
    #expect(try refusal(JWK(.symmetric(Self.secret), algorithm: .A256KW), .dir) == .algorithmRefused)
    #expect(try refusal(JWK(.symmetric(Self.secret)), .A128KW) == .algorithmRefused)
    #expect(try refusal(JWK(.symmetric(Self.secret)), .dir, .A128GCM) == .algorithmRefused)
    #expect(try refusal(JWK(.symmetric(Self.secret)), .dir, .A128CBCHS256) == nil)
    #expect(try refusal(JWK(.privateKey(.generate(.ed25519))), nil) == .algorithmRefused)
  }

  @Test func `is for its use: no key for signatures encrypts, and none for encryption verifies`() throws {
    let signatures = try JWK(.privateKey(TokenScene.rsa), use: "sig")
    #expect(!signatures.encrypts(.RSAOAEP256, .A256GCM) && !signatures.decrypts(.RSAOAEP256, .A256GCM))
    let rs256 = try JWK(.privateKey(TokenScene.rsa), algorithm: .RS256)
    #expect(!rs256.encrypts(.RSAOAEP256, .A256GCM) && !rs256.decrypts(.RSAOAEP256, .A256GCM))
    #expect(refusal { try TokenEncrypter(rs256) } == .algorithmRefused)
    let encryption = try JWK(.privateKey(TokenScene.rsa), keyID: "rsa", algorithm: .RSAOAEP256)
    #expect(refusal { try TokenSigner(encryption) } == .algorithmRefused)
    #expect(refusal { try TokenSigner(encryption, algorithm: .RS256) } == .algorithmRefused)

    let half = try #require(encryption.publicJWK)
    let set = try JWKSet(["keys": [half.json, TokenScene.keys.keys[1].json]])
    #expect(set.skipped == 1)
    let verifier = TokenVerifier(keys: set, policy: TokenScene.verifier.policy)
    #expect(try TokenScene.refusal(of: TokenScene.signed(), by: verifier) == .unknownKey)
    // If it is added manually, it is in the set but verifies nothing.
    let byHand = TokenVerifier(keys: try JWKSet([half]), policy: TokenScene.verifier.policy)
    #expect(try TokenScene.refusal(of: TokenScene.signed(), by: byHand) == .algorithmRefused)
  }
}

struct `Keys to decrypt with` {
  @Test func `are read from JSON, without those for signatures or of kinds that are not known`() throws {
    let own = try EncryptionScene.jwks.map { try $0.jsonRevealingSecrets() }
    let others: [JSONValue] = [
      ["kty": "AKP", "alg": "ML-DSA-44"],
      ["kty": "oct", "k": .string(Base64URL.encode(0..<32)), "alg": "PBES2-HS256+A128KW"],
      try JWK(.privateKey(TokenScene.rsa), algorithm: .RS256).jsonRevealingSecrets(),
      try JWK(.privateKey(TokenScene.p256), use: "sig").jsonRevealingSecrets(),
      try JWK(.privateKey(TokenScene.ed25519)).jsonRevealingSecrets(),
    ]
    let keys = try DecryptionKeys(parsing: JSONValue.object(["keys": .array(own + others)]).serialized())
    #expect(keys.keys.map(\.keyID) == EncryptionScene.jwks.map(\.keyID))
    #expect(keys.skipped == 5)
    #expect(try keys.key(named: "rsa").keyID == "rsa")
    #expect(refusal { try keys.key(named: nil) } == .unknownKey)
    #expect(refusal { try keys.key(named: "other") } == .unknownKey)
  }

  @Test func `are not public, nor for signatures, nor of one name, nor too many`() throws {
    let rsa = JWK.Key.privateKey(TokenScene.rsa)
    let wrong: [[JWK]] = [
      [try JWK(.publicKey(TokenScene.rsa.publicKey))], [try JWK(rsa, use: "sig")], [try JWK(rsa, algorithm: .RS256)],
      [try JWK(rsa, operations: ["encrypt"])], [try JWK(.privateKey(TokenScene.ed25519))],
      [try JWK(rsa, keyID: "k"), try JWK(rsa, keyID: "k")], Array(repeating: try JWK(rsa), count: 101),
      [try JWK(.symmetric(.generate(count: 20)))],
    ]
    for keys in wrong { #expect(refusal { try DecryptionKeys(keys) } == .keySetInvalid) }
    #expect(try DecryptionKeys([JWK(rsa, keyID: "\u{E9}"), JWK(rsa, keyID: "e\u{301}")]).keys.count == 2)
    let published = try JWK(.publicKey(TokenScene.rsa.publicKey)).json
    for json in [["keys": [published]], ["keys": "x"], [], ["kty": "oct"]] as [JSONValue] {
      #expect(refusal { try DecryptionKeys(parsing: json.serialized()) } == .keySetInvalid)
    }
    #expect(
      refusal { try DecryptionKeys(parsing: "{\"keys\":[{\"kty\":1}]}".utf8) } == .keyInvalid)
  }

  @Test(arguments: [100, 101])
  func `are counted before they are read, whether they are known or not`(count: Int) throws {
    let unknown = JSONValue.object(["keys": .array(Array(repeating: ["kty": "AKP"], count: count))]).serialized()
    let outcome = refusal { try DecryptionKeys(parsing: unknown) }
    #expect(outcome == (count > 100 ? .keySetInvalid : nil))
  }

  @Test func `serve a message without kid if one of them alone can decrypt it`() throws {
    let all = try DecryptionKeys(EncryptionScene.jwks)
    #expect(try all.key(named: nil, for: .RSAOAEP256, .A256GCM).keyID == "rsa")
    #expect(try all.key(named: nil, for: .A192KW, .A256GCM).keyID == "24 bytes")
    #expect(try all.key(named: nil, for: .dir, .A128CBCHS256).keyID == "32 bytes")
    let nameless = try TokenEncrypter(JWK(EncryptionScene.jwk("16 bytes").key), algorithm: .A128KW).encrypt([7])
    #expect(try EncryptionScene.decrypter.decrypt(nameless).plaintext == [7])
    // Several keys are suitable, or none.
    func code(_ keys: DecryptionKeys, _ algorithm: JWEAlgorithm, named name: String? = nil) -> AuthError.Code? {
      refusal { try keys.key(named: name, for: algorithm, .A256GCM) }
    }
    #expect(code(all, .ECDHES) == .unknownKey)
    #expect(code(try DecryptionKeys([EncryptionScene.jwk("rsa")]), .ECDHES) == .algorithmRefused)
    let two = try DecryptionKeys([
      JWK(.symmetric(.generate(count: 16)), keyID: "a"), JWK(.symmetric(.generate(count: 16)), keyID: "b"),
    ])
    #expect(code(two, .A128KW) == .unknownKey)
    let decrypter = TokenDecrypter(keys: two, policy: EncryptionScene.policy)
    #expect(EncryptionScene.refusal(of: nameless, by: decrypter) == .unknownKey)
    // One of them is for another algorithm, and is not considered.
    let narrowed = try DecryptionKeys([
      JWK(.symmetric(.generate(count: 16)), keyID: "a", algorithm: .A128GCMKW),
      JWK(.symmetric(.generate(count: 16)), keyID: "b", algorithm: .A128KW),
    ])
    #expect(try narrowed.key(named: nil, for: .A128KW, .A256GCM).keyID == "b")
    // A name selects its key only.
    #expect(code(narrowed, .A128KW, named: "a") == .algorithmRefused)
    #expect(code(narrowed, .A128KW, named: "c") == .unknownKey)
  }

  @Test func `serve RSA-OAEP with SHA-1 only where it is asked for`() throws {
    #expect(JWEAlgorithm.usual == Set(JWEAlgorithm.allCases).subtracting([.RSAOAEP]))
    let rsa = try EncryptionScene.jwk("rsa")
    #expect(try TokenEncrypter(rsa).algorithm == .RSAOAEP256)
    let message = try EncryptionScene.message("rsa", .RSAOAEP, .A128GCM)
    #expect(EncryptionScene.refusal(of: message) == nil)
    let usual = TokenDecrypter(
      keys: EncryptionScene.decrypter.keys, policy: DecryptionPolicy(algorithms: JWEAlgorithm.usual))
    #expect(EncryptionScene.refusal(of: message, by: usual) == .algorithmRefused)
  }

  @Test func `are not guessed: the only key that is known may not be the one that is meant`() throws {
    let own = try EncryptionScene.jwk("rsa").jsonRevealingSecrets()
    let alone = try DecryptionKeys(parsing: JSONValue.object(["keys": [own]]).serialized())
    #expect(try alone.key(named: nil).keyID == "rsa")
    let skipping = try DecryptionKeys(parsing: JSONValue.object(["keys": [own, ["kty": "AKP"]]]).serialized())
    #expect(refusal { try skipping.key(named: nil) } == .unknownKey)
  }
}
