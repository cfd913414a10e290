import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import TestSupport
import Testing

/// Sets that other servers publish (RFC 7517 §5): an unusable key is dropped, without further effect.
struct `A published set of keys` {
  /// A good key as JSON, with some members changed or removed.
  private static func json(
    _ key: PrivateKey = TokenScene.p256, _ keyID: String? = "odd", _ changes: KeyValuePairs<String, JSONValue?> = [:]
  ) throws -> JSONValue {
    guard var members = try JWK(.publicKey(key.publicKey), keyID: keyID).json.object else { return .null }
    for (name, value) in changes { members[name] = value }
    return .object(members)
  }

  /// The set of these keys, followed by a good one.
  private static func set(_ keys: JSONValue...) throws -> JWKSet {
    try JWKSet(["keys": .array(keys + [json(TokenScene.rsa, "good")])])
  }

  private static func number(of bits: Int) -> JSONValue {
    .string(Base64URL.encode([0xC1] + Array(repeating: 0x5B, count: bits / 8 - 1)))
  }

  /// A small number, little-endian.
  private static func small(_ number: UInt8, of length: Int) -> JSONValue {
    .string(Base64URL.encode([number] + Array(repeating: 0, count: length - 1)))
  }

  private static var coordinates: (x: [UInt8], y: [UInt8]) {
    guard case .ec(_, let x, let y) = TokenScene.p256.publicKey.parameters else { return ([], []) }
    return (x, y)
  }

  /// Unusable keys.
  private static let odd: [(String, JSONValue)] = TokenScene.made {
    let (x, y) = coordinates
    return [
      ("RSA-1024", ["kty": "RSA", "kid": "odd", "n": number(of: 1024), "e": "AQAB"]),
      ("RSA-16384", ["kty": "RSA", "kid": "odd", "n": number(of: 16_384), "e": "AQAB"]),
      ("an exponent of 1", ["kty": "RSA", "kid": "odd", "n": number(of: 2048), "e": "AQ"]),
      ("no `kty`", try json(TokenScene.p256, "odd", ["kty": nil])),
      ("no `n`", ["kty": "RSA", "kid": "odd", "e": "AQAB"]),
      ("no `y`", try json(TokenScene.p256, "odd", ["y": nil])),
      ("`x` of null", try json(TokenScene.p256, "odd", ["x": .null])),
      ("a padded coordinate", try json(TokenScene.p256, "odd", ["x": .string(Base64URL.encode(x) + "=")])),
      ("a stripped coordinate", try json(TokenScene.p256, "odd", ["x": .string(Base64URL.encode(x.dropFirst()))])),
      ("off the curve", try json(TokenScene.p256, "odd", ["y": .string(Base64URL.encode(y.map { $0 ^ 1 }))])),
      ("off Ed25519", ["kty": "OKP", "crv": "Ed25519", "kid": "odd", "x": small(2, of: 32)]),
      ("off Ed448", ["kty": "OKP", "crv": "Ed448", "kid": "odd", "x": small(2, of: 57)]),
      ("a `kid` that is a number", try json(TokenScene.p256, "odd", ["kid": 1])),
      ("an `alg` of another type of key", try json(TokenScene.p256, "odd", ["alg": "RS256"])),
      ("an `alg` that is not known", try json(TokenScene.p256, "odd", ["alg": "ES1024"])),
      ("key_ops twice", try json(TokenScene.p256, "odd", ["key_ops": ["verify", "verify"]])),
      ("key_ops that permit nothing", try json(TokenScene.p256, "odd", ["key_ops": []])),
      ("key_ops without verify", try json(TokenScene.p256, "odd", ["key_ops": ["sign", "encrypt"]])),
      ("of no object", .null),
      ("of a string", "key"),
    ]
  }

  @Test func `costs itself alone, whichever rule a key breaks`() throws {
    for (rule, key) in Self.odd {
      let set = try #require(try? Self.set(key), "\(rule)")
      #expect(set.keys.map(\.keyID) == ["good"] && set.skipped == 1, "\(rule)")
      #expect(refusal { try set.key(named: "odd") } == .unknownKey, "\(rule)")
    }
    let all = try JWKSet(["keys": .array(Self.odd.map(\.1) + [Self.json(TokenScene.rsa, "good")])])
    #expect(all.keys.map(\.keyID) == ["good"] && all.skipped == Self.odd.count)
  }

  @Test func `takes zeros before a modulus, which Java's numbers have`() throws {
    guard case .rsa(let modulus, _) = TokenScene.stranger.publicKey.parameters else { return }
    for zeros in 1...3 {
      let padded = Base64URL.encode(Array(repeating: 0, count: zeros) + modulus)
      let set = try Self.set(Self.json(TokenScene.stranger, "java", ["n": .string(padded)]))
      #expect(try set.key(named: "java").key.publicKey == TokenScene.stranger.publicKey)
      #expect(set.skipped == 0)
    }
    // A modulus of zeros only is still invalid.
    #expect(try Self.set(Self.json(TokenScene.stranger, "java", ["n": "AAAA"])).skipped == 1)
  }

  @Test func `keeps a key whose certificates or thumbprints cannot be used`() throws {
    let lines = Base64.encode(CertifiedScene.leaf.der).enumerated()
      .map { $0.offset % 64 == 63 ? "\($0.element)\n" : "\($0.element)" }.joined()
    let hex = CertifiedScene.leaf.sha256Fingerprint.map { String($0, radix: 16) }.joined()
    for changes in [
      ["x5c": []], ["x5c": "MII"], ["x5c": [.string(lines)]], ["x5c": CertifiedScene.list(CertifiedScene.root)],
      ["x5t#S256": .string(hex)], ["x5t#S256": 1], ["x5t": 1], ["x5t": .string(hex)], ["use": .null],
      ["alg": .null], ["key_ops": .null], ["x5c": .null], ["d": .null],
      [
        "x5c": CertifiedScene.list(CertifiedScene.leaf),
        "x5t#S256": .string(Base64URL.encode(CertifiedScene.root.sha256Fingerprint)),
      ],
    ] as [KeyValuePairs<String, JSONValue?>] {
      let set = try #require(try? Self.set(Self.json(CertifiedScene.key, "odd", changes)), "\(changes)")
      #expect(set.keys.map(\.keyID) == ["odd", "good"] && set.skipped == 0, "\(changes)")
      let key = try set.key(named: "odd")
      #expect(key.key.publicKey == CertifiedScene.key.publicKey, "\(changes)")
      // With a good chain and a bad hash, the chain is kept with its own hash.
      #expect(key.certificates.isEmpty == (key.certificateFingerprint == nil), "\(changes)")
    }
  }

  @Test func `drops a key that it has twice`() throws {
    let twice = try Self.set(Self.json(), Self.json(), Self.json(TokenScene.rsa, "good"))
    #expect(twice.keys.map(\.keyID) == ["odd", "good"] && twice.skipped == 0)
    let nameless = try JWKSet(["keys": [Self.json(TokenScene.p256, nil), Self.json(TokenScene.p256, nil)]])
    #expect(try nameless.key(named: nil).key.publicKey == TokenScene.p256.publicKey)
  }

  @Test func `refuses the tokens of a name that two keys have, and no others`() throws {
    let set = try Self.set(Self.json(TokenScene.rsa), Self.json(TokenScene.stranger))
    let verifier = JWSVerifier(keys: set, algorithms: [.RS256, .ES256, .EdDSA])
    for key in [TokenScene.rsa, TokenScene.stranger] {
      let token = try TokenSigner(key: key, keyID: "odd").sign(TokenScene.claims)
      let error = #expect(throws: AuthError.self) { try verifier.verify(token) }
      #expect(error?.code == .unknownKey && error?.message.contains("more than one key") == true)
    }
    #expect(set.skipped == 2)
    let good = try TokenSigner(key: TokenScene.rsa, keyID: "good").sign(TokenScene.claims)
    #expect(refusal { try verifier.verify(good) } == nil)
    // A third key does not restore the name.
    let third = try Self.json(TokenScene.rsa, "odd", ["alg": "PS256"])
    let three = try Self.set(Self.json(TokenScene.rsa), Self.json(TokenScene.stranger), third)
    #expect(three.keys.map(\.keyID) == ["good"] && three.skipped == 3)
  }

  @Test func `without a usable key refuses each token, and says how many were skipped and why`() throws {
    let set = try JWKSet(["keys": [Self.odd[0].1, ["kty": "AKP"]]])
    #expect(set.keys.isEmpty && set.skipped == 2)
    let verifier = JWSVerifier(keys: set, algorithms: [.RS256])
    for keyID in ["odd", "other", nil] {
      let token = try TokenSigner(key: TokenScene.rsa, keyID: keyID).sign(TokenScene.claims)
      let error = #expect(throws: AuthError.self) { try verifier.verify(token) }
      #expect(error?.code == .unknownKey)
      #expect(error?.message.contains("2 keys were skipped") == true)
      #expect(error?.message.contains("2048 to 8192 bits") == true)
    }
  }

  @Test func `says what it skips and ignores, and why, without a key in it`() throws {
    let modulus = Self.number(of: 1024)
    let set = try JWKSet([
      "keys": [
        ["kty": "RSA", "kid": "weak", "n": modulus, "e": "AQAB"], Self.json(TokenScene.p256, "good", ["use": .null]),
        ["kty": "AKP"], Self.json(TokenScene.ed25519, "odd", ["x5c": ["MII"]]),
        Self.json(TokenScene.rsa, "long", ["kid": .string(.init(repeating: "k", count: 257))]),
        Self.json(TokenScene.rsa, "twice"), Self.json(TokenScene.stranger, "twice"),
      ]
    ])
    #expect(set.omissions.map(\.index) == [0, 1, 2, 3, 4, 5, 6])
    #expect(set.omissions.map(\.keyID) == ["weak", "good", nil, "odd", nil, "twice", "twice"])
    #expect(set.omissions.map(\.member) == [nil, "use", nil, "x5c", nil, nil, nil])
    #expect(
      set.omissions.map(\.code) == [
        .keyInvalid, .keyInvalid, .keyUnsupported, .keyInvalid, .keyInvalid, .keySetInvalid, .keySetInvalid,
      ])
    #expect(set.skipped == 5 && set.keys.map(\.keyID) == ["good", "odd"])
    #expect(set.omissions[0].message == "an RSA key must have 2048 to 8192 bits; this one has 1024")
    #expect(set.omissions[1].message == "`use` is null")
    for omission in set.omissions {
      #expect(!"\(omission)".contains("\n") && !"\(omission)".contains(modulus.string ?? ""))
    }
    // For a token whose key was skipped, the error contains the reason.
    let error = #expect(throws: AuthError.self) { try set.key(named: "weak") }
    #expect(error?.code == .unknownKey && error?.message.contains("2048 to 8192 bits") == true)
  }

  @Test func `says that the operations of a key do not permit to verify`() throws {
    let good = ["kid": "good", "key_ops": ["verify"]] as KeyValuePairs<String, JSONValue?>
    for operations in [[], ["sign"], ["Verify"]] as [JSONValue] {
      let set = try JWKSet([
        "keys": [Self.json(TokenScene.p256, "odd", ["key_ops": operations]), Self.json(TokenScene.p256, "good", good)]
      ])
      #expect(set.keys.map(\.keyID) == ["good"])
      #expect(set.omissions.map(\.code) == [.keyUnsupported] && set.omissions[0].message.contains("`key_ops`"))
      let error = #expect(throws: AuthError.self) { try set.key(named: "odd", for: .ES256) }
      #expect(error?.code == .unknownKey && error?.message.contains("`key_ops`") == true)
    }
  }

  @Test func `of a server shows in the statistics what is skipped`() async throws {
    let scene = try RemoteScene()
    let keys: JSONObject = [
      "keys": [["kty": "AKP", "kid": "new"], try Self.json(TokenScene.p256, "a", ["alg": .null])]
    ]
    scene.publish("\(keys)")
    #expect(await scene.refusal() == nil)
    let statistics = scene.set.statistics
    #expect(statistics.keys == 1 && statistics.skipped == 1)
    #expect(statistics.omissions == scene.set.current?.omissions)
    #expect(statistics.omissions.map(\.member) == [nil, "alg"] && statistics.omissions.first?.keyID == "new")
  }

  @Test func `is the same in another order: no verified token is forgotten`() async throws {
    let keys = try [Self.json(TokenScene.rsa, "rsa"), Self.json(TokenScene.p256), Self.json(TokenScene.ed25519, nil)]
    let policy = VerificationPolicy.firebaseIDToken(project: "demo")
    let identities = try [keys, keys.reversed()].map {
      try TokenVerifier(keys: JWKSet(["keys": .array($0)]), policy: policy).identity
    }
    #expect(identities[0] == identities[1])
    // But a name that two keys share is significant.
    let twins = try [Self.json(TokenScene.stranger), Self.json(TokenScene.stranger, "odd", ["issuer": "i"])]
    let doubled = try JWKSet(["keys": .array([keys[0]] + twins)])
    let single = try JWKSet(["keys": .array([keys[0]])])
    #expect(
      try TokenVerifier(keys: doubled, policy: policy).identity != TokenVerifier(keys: single, policy: policy).identity)
  }

  @Test func `is still refused with a private key, or a secret among public keys`() throws {
    let whole = try #require(try JWK(.privateKey(TokenScene.rsa), keyID: "odd").jsonRevealingSecrets().object)
    for name in ["d", "p", "q", "dp", "dq", "qi"] {
      let leaked = try Self.json(TokenScene.rsa, "odd", [name: whole[name]])
      #expect(refusal { try JWKSet(["keys": [leaked]]) } == .keySetInvalid, "\(name)")
    }
    // Secrets are not published: a set of them is strict.
    let short: JSONValue = ["kty": "oct", "kid": "a", "k": "AAAA"]
    #expect(refusal { try JWKSet(["keys": [short]]) } == .keyInvalid)
    let secret = try JWK(.symmetric(.generate()), keyID: "a").jsonRevealingSecrets()
    #expect(refusal { try JWKSet(["keys": [secret, secret]]) } == .keySetInvalid)
    let good = try Self.json(TokenScene.rsa, "good")
    for secret in [["kty": "oct", "k": "AA"], ["kty": "oct"]] as [JSONValue] {
      #expect(refusal { try JWKSet(["keys": [secret, good]]) } == .keySetInvalid)
    }
  }

  @Test func `verifies a token without a name by the only key that can`() throws {
    let keys: JSONValue = try [
      "keys": [
        Self.json(TokenScene.rsa, "r", ["alg": "RS256"]), Self.json(TokenScene.p256, nil),
        Self.json(TokenScene.ed25519, "e"), Self.odd[0].1,
      ]
    ]
    let verifier = JWSVerifier(keys: try JWKSet(keys), algorithms: Set(JWSAlgorithm.allCases))
    for key in [TokenScene.rsa, TokenScene.p256, TokenScene.ed25519] {
      let token = try TokenSigner(key: key).sign(TokenScene.claims)
      #expect(refusal { try verifier.verify(token) } == nil)
    }
    let wrong = try TokenSigner(JWK(.privateKey(TokenScene.rsa), algorithm: .RS384)).sign(TokenScene.claims)
    #expect(refusal { try verifier.verify(wrong) } == .algorithmRefused)
    let two = try JWKSet(["keys": [Self.json(TokenScene.rsa, "r"), Self.json(TokenScene.stranger, nil)]])
    let token = try TokenSigner(key: TokenScene.rsa).sign(TokenScene.claims)
    #expect(
      refusal { try JWSVerifier(keys: two, algorithms: [.RS256]).verify(token) } == .unknownKey)
  }
}
