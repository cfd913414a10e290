import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import TestSupport
import Testing

/// Several keys under one `kid` (RFC 7517 §4.5): the token's `alg` chooses, and the order of the set never does.
struct `Keys that share a kid` {
  private static let p384 = TokenScene.made { try PrivateKey.generate(.p384) }
  private static let ed448 = TokenScene.made { try PrivateKey.generate(.ed448) }

  private static func json(
    _ key: PrivateKey, _ algorithm: String? = nil, keyID: String? = "1", use: String? = nil, issuer: String? = nil
  ) throws -> JSONValue {
    guard var members = try JWK(.publicKey(key.publicKey), keyID: keyID).json.object else { return .null }
    members["alg"] = algorithm.map(JSONValue.string)
    members["use"] = use.map(JSONValue.string)
    members["issuer"] = issuer.map(JSONValue.string)
    return .object(members)
  }

  private static func token(_ key: PrivateKey, _ algorithm: JWSAlgorithm, keyID: String? = "1") throws -> String {
    try TokenSigner(JWK(.privateKey(key), keyID: keyID, algorithm: algorithm)).sign(TokenScene.claims)
  }

  private static func verifier(_ keys: [JSONValue]) throws -> JWSVerifier {
    JWSVerifier(keys: try JWKSet(["keys": .array(keys)]), algorithms: JWSAlgorithm.asymmetric)
  }

  @Test func `one key that is published once for each algorithm verifies the tokens of all`() throws {
    let keys = try ["RS256", "RS384", "RS512"].map { try Self.json(TokenScene.rsa, $0, use: "sig") }
    for keys in keys.permutations {
      let verifier = try Self.verifier(keys)
      #expect(verifier.keys.keys.count == 3 && verifier.keys.omissions.isEmpty)
      for algorithm in [JWSAlgorithm.RS256, .RS384, .RS512] {
        #expect(refusal { try verifier.verify(Self.token(TokenScene.rsa, algorithm)) } == nil)
      }
      #expect(refusal { try verifier.verify(Self.token(TokenScene.rsa, .PS256)) } == .algorithmRefused)
      // Without its algorithm the key has no single answer.
      #expect(refusal { try verifier.keys.key(named: "1") } == .unknownKey)
    }
  }

  @Test func `keys of several kinds and curves are told apart by the algorithm`() throws {
    let keys = try [
      Self.json(TokenScene.rsa, "RS256"), Self.json(TokenScene.stranger, "RS512"), Self.json(TokenScene.p256),
      Self.json(Self.p384), Self.json(TokenScene.ed25519),
    ]
    for keys in keys.permutations {
      let verifier = try Self.verifier(keys)
      for (key, algorithm) in [
        (TokenScene.rsa, JWSAlgorithm.RS256), (TokenScene.stranger, .RS512), (TokenScene.p256, .ES256),
        (Self.p384, .ES384), (TokenScene.ed25519, .EdDSA),
      ] {
        #expect(refusal { try verifier.verify(Self.token(key, algorithm)) } == nil)
      }
      // The algorithm of another key is not the key's.
      #expect(refusal { try verifier.verify(Self.token(TokenScene.rsa, .RS512)) } == .signatureInvalid)
      #expect(refusal { try verifier.verify(Self.token(TokenScene.rsa, .RS384)) } == .algorithmRefused)
    }
  }

  @Test func `a key for encryption and a key with and without alg take no token away`() throws {
    let encryption = try Self.json(TokenScene.stranger, "RSA-OAEP", use: "enc")
    for keys in try [
      [encryption, Self.json(TokenScene.rsa, "RS256", use: "sig")],
      [Self.json(TokenScene.rsa), Self.json(TokenScene.rsa, "RS256")],
      [Self.json(TokenScene.rsa, "RS256"), Self.json(TokenScene.rsa, "RS256", use: "sig"), encryption],
    ] {
      for keys in keys.permutations {
        #expect(refusal { try Self.verifier(keys).verify(Self.token(TokenScene.rsa, .RS256)) } == nil)
      }
    }
  }

  @Test func `two keys for one algorithm are both refused for it, and serve for others`() throws {
    // Ed25519 and Ed448 have `EdDSA` in common, and a name each.
    let keys = try [Self.json(TokenScene.ed25519), Self.json(Self.ed448)]
    for keys in keys.permutations {
      let verifier = try Self.verifier(keys)
      #expect(refusal { try verifier.verify(Self.token(TokenScene.ed25519, .EdDSA)) } == .unknownKey)
      #expect(refusal { try verifier.verify(Self.token(Self.ed448, .EdDSA)) } == .unknownKey)
      #expect(refusal { try verifier.verify(Self.token(TokenScene.ed25519, .Ed25519)) } == nil)
      #expect(refusal { try verifier.verify(Self.token(Self.ed448, .Ed448)) } == nil)
    }
    // Of the second one nothing is left: it is skipped, and still takes RS512 away from the first one.
    let skipped = try [Self.json(TokenScene.rsa), Self.json(TokenScene.stranger, "RS512")]
    for keys in skipped.permutations {
      let verifier = try Self.verifier(keys)
      #expect(verifier.keys.keys.count == 1 && verifier.keys.skipped == 1)
      #expect(refusal { try verifier.verify(Self.token(TokenScene.rsa, .RS256)) } == nil)
      for key in [TokenScene.rsa, TokenScene.stranger] {
        #expect(refusal { try verifier.verify(Self.token(key, .RS512)) } == .unknownKey)
      }
    }
  }

  @Test func `the same key for two issuers is refused, since the set does not say which one is meant`() throws {
    let keys = try [Self.json(TokenScene.rsa, issuer: "https://a.example"), Self.json(TokenScene.rsa, "RS256")]
    for keys in keys.permutations {
      let verifier = try Self.verifier(keys)
      #expect(refusal { try verifier.verify(Self.token(TokenScene.rsa, .RS256)) } == .unknownKey)
    }
  }

  /// Every pair of the forms, and every three of the first nine: each token gets the same answer in every order.
  @Test func `no permutation of a set changes an answer`() throws {
    let forms = try [
      Self.json(TokenScene.rsa), Self.json(TokenScene.rsa, "RS256"), Self.json(TokenScene.rsa, "RS512", use: "sig"),
      Self.json(TokenScene.rsa, "RS256", issuer: "https://a.example"),
      Self.json(TokenScene.rsa, "RSA-OAEP", use: "enc"), Self.json(TokenScene.stranger),
      Self.json(TokenScene.stranger, "RS256"), Self.json(TokenScene.stranger, "PS256"),
      Self.json(TokenScene.p256), Self.json(TokenScene.ed25519), Self.json(TokenScene.ed25519, "Ed25519"),
      Self.json(Self.ed448), Self.json(TokenScene.rsa, "RS256", keyID: nil), Self.json(TokenScene.p256, keyID: "2"),
      ["kty": "AKP", "kid": "1"], ["kty": "RSA", "kid": "1", "n": "AA", "e": "AQAB"],
    ]
    var tokens: [String] = []
    for keyID in ["1", "2", nil] {
      for (key, algorithm) in [
        (TokenScene.rsa, JWSAlgorithm.RS256), (TokenScene.rsa, .RS512), (TokenScene.rsa, .PS256),
        (TokenScene.stranger, .RS256), (TokenScene.stranger, .PS256), (TokenScene.p256, .ES256),
        (TokenScene.ed25519, .EdDSA), (TokenScene.ed25519, .Ed25519), (Self.ed448, .Ed448),
      ] {
        tokens.append(try Self.token(key, algorithm, keyID: keyID))
      }
    }
    for drawn in forms.combinations(of: 2) + forms.prefix(9).combinations(of: 3) {
      let answers = try drawn.permutations.map { keys in
        let verifier = try Self.verifier(keys)
        return tokens.map { token in refusal { try verifier.verify(token) } }
      }
      #expect(answers.allSatisfy { $0 == answers[0] }, "\(drawn)")
    }
  }

  @Test func `a published key with the same kid and algorithm counts as the loss of a key`() async throws {
    let scene = try RemoteScene()
    scene.publish("\(JSONObject(["keys": [try Self.json(TokenScene.rsa, keyID: "a")]]))")
    #expect(await scene.refusal() == nil)
    let epoch = scene.set.keySetEpoch
    // The first key is still there, and is no longer the only one for RS512.
    let two = try [Self.json(TokenScene.rsa, keyID: "a"), Self.json(TokenScene.stranger, "RS512", keyID: "a")]
    scene.publish("\(JSONObject(["keys": .array(two)]))")
    try await scene.set.refresh()
    #expect(scene.set.keySetEpoch > epoch)
    #expect(try await scene.set.key(named: "a", for: .RS256).key.publicKey == TokenScene.rsa.publicKey)
    #expect(await scene.refusal(of: "a")?.code == .unknownKey)
  }

  @Test func `keys to decrypt with may share a kid if they share no algorithm`() throws {
    let rsa = try JWK(.privateKey(TokenScene.rsa), keyID: "1", algorithm: .RSAOAEP256)
    let agreement = try JWK(.privateKey(TokenScene.p256), keyID: "1", algorithm: .ECDHES)
    for list in [[rsa, agreement], [agreement, rsa]] {
      let keys = try DecryptionKeys(list)
      #expect(try keys.key(named: "1", for: .RSAOAEP256, .A256GCM).key.publicKey == TokenScene.rsa.publicKey)
      #expect(try keys.key(named: "1", for: .ECDHES, .A256GCM).key.publicKey == TokenScene.p256.publicKey)
      #expect(refusal { try keys.key(named: "1") } == .unknownKey)
      #expect(refusal { try keys.key(named: "1", for: .A128KW, .A256GCM) } == .algorithmRefused)
    }
    #expect(refusal { try DecryptionKeys([rsa, rsa]) } == .keySetInvalid)
  }
}

extension Collection {
  /// All orders of the elements.
  fileprivate var permutations: [[Element]] {
    guard count > 1 else { return [Array(self)] }
    return Array(self).indices.flatMap { index in
      var rest = Array(self)
      let first = rest.remove(at: index)
      return rest.permutations.map { [first] + $0 }
    }
  }

  /// All choices of so many elements, in their order.
  fileprivate func combinations(of count: Int) -> [[Element]] {
    guard count > 0 else { return [[]] }
    guard let first else { return [] }
    return dropFirst().combinations(of: count - 1).map { [first] + $0 } + dropFirst().combinations(of: count)
  }
}
