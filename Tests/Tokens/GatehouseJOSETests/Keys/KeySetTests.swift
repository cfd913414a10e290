import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `A JWK` {
  @Test func `comes back from its JSON, and shows its secrets only when asked by name`() throws {
    let types: [KeyType] = [.rsa(bits: 2048), .p256, .p384, .p521, .secp256k1, .ed25519, .ed448, .x25519]
    for key in try types.map(PrivateKey.generate) {
      let jwk = try JWK(.privateKey(key), keyID: "k", use: "sig", operations: ["sign"])
      #expect(jwk.json["d"] == nil)
      #expect(jwk.json["p"] == nil)
      #expect(jwk.json["key_ops"] == ["verify"])
      let back = try JWK(jwk.json)
      #expect(back.key.publicKey == key.publicKey)
      #expect(back.keyID == "k")
      let whole = try JWK(parsing: jwk.jsonRevealingSecrets().serialized())
      guard case .privateKey(let copy) = whole.key else {
        Issue.record("the private key is gone")
        continue
      }
      #expect(copy.publicKey == key.publicKey)
      #expect(whole.operations == ["sign"])
      #expect(try whole.thumbprint() == jwk.thumbprint())
    }
    let secret = try JWK(.symmetric(SecretKey(Array(repeating: 7, count: 32))), keyID: "s")
    #expect(secret.json.description == #"{"kty":"oct","kid":"s"}"#)
    #expect(try secret.jsonRevealingSecrets()["k"] == .string(Base64URL.encode(Array(repeating: 7, count: 32))))
  }

  @Test func `is refused when a member is missing, of another type, or spelled otherwise`() throws {
    let good = try #require(try JWK(.publicKey(TokenScene.p256.publicKey), keyID: "k").json.object)
    #expect(refusal { try JWK(.object(good)) } == nil)
    for (name, value) in [
      ("kty", nil), ("kty", 1), ("crv", nil), ("x", nil), ("x", 1), ("x", ""), ("y", "AA=="), ("kid", 1),
      ("kid", .null),
      ("kid", .string(.init(repeating: "k", count: 257))), ("use", 1), ("alg", 1), ("key_ops", "verify"),
      ("key_ops", [1]),
      ("key_ops", ["verify", "verify"]), ("d", "AA"), ("d", 1), ("kty", "RSA"),
    ] as [(String, JSONValue?)] {
      var changed = good
      changed[name] = value
      #expect(refusal { try JWK(.object(changed)) } == .keyInvalid, "\(name)")
    }
    for (name, value) in [("kty", "AKP"), ("kty", "ec"), ("crv", "P-192"), ("alg", "ES1024")] {
      var changed = good
      changed[name] = .string(value)
      #expect(refusal { try JWK(.object(changed)) } == .keyUnsupported, "\(name)")
    }
    var changed = good
    changed["alg"] = "RS256"
    #expect(refusal { try JWK(.object(changed)) } == .algorithmRefused)
    #expect(refusal { try JWK([1]) } == .keyInvalid)
  }

  @Test func `of RSA is refused with half of its private numbers, or a zero before its modulus`() throws {
    let whole = try #require(try JWK(.privateKey(TokenScene.rsa)).jsonRevealingSecrets().object)
    for name in ["d", "p", "q", "dp", "dq", "qi"] {
      var changed = whole
      changed[name] = nil
      #expect(refusal { try JWK(.object(changed)) } == .keyInvalid, "\(name)")
    }
    var third = whole
    third["oth"] = []
    #expect(refusal { try JWK(.object(third)) } == .keyUnsupported)
    guard case .rsa(let modulus, _) = TokenScene.rsa.publicKey.parameters else { return }
    var padded = try #require(try JWK(.publicKey(TokenScene.rsa.publicKey)).json.object)
    padded["n"] = .string(Base64URL.encode([0] + modulus))
    #expect(refusal { try JWK(.object(padded)) } == .keyInvalid)
  }

  @Test func `verifies only what its alg, use and key_ops allow`() throws {
    let key = JWK.Key.publicKey(TokenScene.ed25519.publicKey)
    #expect(try JWK(key).verifies(.EdDSA))
    #expect(try JWK(key).verifies(.Ed25519))
    #expect(try !JWK(key).verifies(.ES256))
    #expect(try !JWK(key).verifies(.HS256))
    #expect(try !JWK(key, algorithm: .Ed25519).verifies(.EdDSA))
    #expect(try !JWK(key, use: "enc").verifies(.EdDSA))
    #expect(try !JWK(key, operations: ["sign"]).verifies(.EdDSA))
    #expect(try JWK(key, use: "sig", operations: ["verify"]).verifies(.EdDSA))
  }
}

struct `A set of keys` {
  private static func json(_ key: PrivateKey, _ name: String?) throws -> JSONValue {
    try JWK(.publicKey(key.publicKey), keyID: name).json
  }

  @Test func `comes back from its JSON`() throws {
    let set = try JWKSet(parsing: TokenScene.keys.serialized())
    #expect(set.keys.map(\.keyID) == ["rsa", "p256", "ed25519"])
    #expect(set.skipped == 0)
    #expect(try set.key(named: "p256").algorithm == .signature(.ES256))
    #expect(
      try TokenScene.refusal(of: TokenScene.signed(), by: TokenVerifier(keys: set, policy: TokenScene.verifier.policy))
        == nil)
  }

  @Test func `has no name that its own readers refuse`() throws {
    let long = String(repeating: "k", count: 257), most = String(repeating: "k", count: 256)
    func code(_ body: () throws -> Void) -> AuthError.Code? {
      do { try body() } catch { return (error as? AuthError)?.code }
      return nil
    }
    let key = TokenScene.p256
    #expect(code { _ = try JWK(.publicKey(key.publicKey), keyID: long) } == .keyInvalid)
    #expect(code { _ = try TokenSigner(key: key, keyID: long) } == .keyInvalid)
    var renamed = try JWK(.privateKey(key), keyID: most)
    _ = try TokenSigner(renamed)
    renamed.keyID = long
    #expect(code { _ = try TokenSigner(renamed) } == .keyInvalid)
    var published = try JWK(.publicKey(key.publicKey), keyID: most)
    _ = try JWKSet([published])
    published.keyID = long
    #expect(code { _ = try JWKSet([published]) } == .keyInvalid)
  }

  @Test func `takes the keys of a SPIFFE bundle that sign tokens, and not those that certify`() throws {
    let token = try JWK(.publicKey(TokenScene.rsa.publicKey), keyID: "t", use: "jwt-svid").json
    let certificate = try JWK(.publicKey(TokenScene.rsa.publicKey), keyID: "c", use: "x509-svid").json
    let set = try JWKSet(["keys": [token, certificate], "spiffe_sequence": 1])
    #expect(set.keys.map(\.keyID) == ["t"] && set.skipped == 1)
    #expect(try set.key(named: "t").verifies(.RS256))
  }

  @Test func `skips and counts keys of kinds that it does not know, or not for signatures (group 22)`() throws {
    let encryption = try JWK(.publicKey(TokenScene.rsa.publicKey), keyID: "e", use: "enc").json
    let set = try JWKSet([
      "keys": [
        ["kty": "AKP", "alg": "ML-DSA-44"], ["kty": "EC", "crv": "P-192"], ["kty": "OKP", "crv": "X448"],
        Self.json(PrivateKey.generate(.x25519), "x"),
        ["kty": "RSA", "alg": "RSA-OAEP"], encryption, Self.json(TokenScene.rsa, "r"),
      ]
    ])
    #expect(set.keys.count == 1)
    #expect(set.skipped == 6)
    #expect(refusal { try set.key(named: "e") } == .unknownKey)
    #expect(refusal { try set.key(named: nil) } == .unknownKey)
  }

  @Test func `is refused with two keys of one name, compared as bytes (groups 10 and 18)`() throws {
    let rsa = try Self.json(TokenScene.rsa, "caf\u{E9}")
    let twin = try Self.json(TokenScene.stranger, "caf\u{E9}")
    let lookalike = try Self.json(TokenScene.p256, "cafe\u{301}")
    let both = try [JWK(rsa), JWK(twin)]
    #expect(refusal { try JWKSet(both) } == .keySetInvalid)
    // A parsed set drops both.
    #expect(try JWKSet(["keys": [rsa, twin]]).keys.isEmpty)
    #expect(
      try JWKSet(["keys": [rsa, lookalike]]).key(named: "cafe\u{301}").key.publicKey == TokenScene.p256.publicKey)
  }

  @Test func `is refused with a private key, also one of a kind that it would skip (group 18)`() throws {
    let whole = try JWK(.privateKey(TokenScene.p256)).jsonRevealingSecrets()
    #expect(refusal { try JWKSet(["keys": [whole]]) } == .keySetInvalid)
    #expect(refusal { try JWKSet([JWK(.privateKey(TokenScene.p256))]) } == .keySetInvalid)
    let unknown: JSONValue = ["kty": "EC", "crv": "P-192", "d": "AA"]
    #expect(refusal { try JWKSet(["keys": [unknown]]) } == .keySetInvalid)
  }

  @Test func `is refused with shared secrets beside public keys (group 18)`() throws {
    let secret = try JWK(.symmetric(SecretKey.generate()), keyID: "s")
    let rsa = try JWK(.publicKey(TokenScene.rsa.publicKey), keyID: "r")
    #expect(refusal { try JWKSet([secret, rsa]) } == .keySetInvalid)
    let mixed: JSONValue = ["keys": [["kty": "oct", "alg": "A256GCM", "k": "AA"], rsa.json]]
    #expect(refusal { try JWKSet(mixed) } == .keySetInvalid)
    #expect(try JWKSet([secret]).serialized() == Array(#"{"keys":[]}"#.utf8))
  }

  @Test func `skips a weak key (group 18)`() throws {
    let weak: JSONValue = [
      "kty": "RSA", "n": .string(Base64URL.encode(Array(repeating: 0xFF, count: 128))), "e": "AQAB",
    ]
    let set = try JWKSet(["keys": [weak]])
    #expect(set.keys.isEmpty && set.skipped == 1)
  }

  @Test func `is refused when it is too large, or no set (group 22)`() throws {
    let unknown: JSONValue = ["kty": "AKP"]
    #expect(try JWKSet(["keys": .array(Array(repeating: unknown, count: 100))]).skipped == 100)
    #expect(
      refusal { try JWKSet(["keys": .array(Array(repeating: unknown, count: 101))]) }
        == .keySetInvalid)
    let key = try JWK(.publicKey(TokenScene.p256.publicKey))
    #expect(try JWKSet(Array(repeating: key, count: 100)).keys.count == 100)
    #expect(refusal { try JWKSet(Array(repeating: key, count: 101)) } == .keySetInvalid)
    let large = #"{"keys":[],"x":""# + String(repeating: "x", count: 256 << 10) + #""}"#
    #expect(refusal { try JWKSet(parsing: large.utf8) } == .jsonTooLarge)
    for text in ["{}", "[]", #"{"keys":{}}"#, "1"] {
      #expect(refusal { try JWKSet(parsing: text.utf8) } == .keySetInvalid)
    }
    #expect(refusal { try JWKSet(parsing: "{".utf8) } == .jsonMalformed)
  }
}
