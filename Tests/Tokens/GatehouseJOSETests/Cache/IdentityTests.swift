import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// A verifier's identity includes everything that determines which tokens it accepts, so that a cache keeps verifiers
/// apart.
struct `The identity of a verifier` {
  /// The names of a value's stored properties.
  private static func properties(_ value: Any) -> Set<String> {
    Set(Mirror(reflecting: value).children.compactMap(\.label))
  }

  private static func identity(
    _ change: (inout VerificationPolicy) throws -> Void, keys: JWKSet = TokenScene.keys
  ) throws -> [UInt8] {
    var policy = VerificationPolicy.firebaseIDToken(project: "demo")
    try change(&policy)
    return try TokenVerifier(keys: keys, policy: policy).identity
  }

  /// A change for each stored property of a policy. A property that is added to the policy must be added here and to
  /// the identity.
  private static let changes: KeyValuePairs<String, [@Sendable (inout VerificationPolicy) throws -> Void]> = [
    "algorithms": [{ $0.algorithms = [] }, { $0.algorithms = [.RS256, .RS512] }],
    "issuers": [
      { $0.issuers = nil }, { $0.issuers = [] }, { $0.issuers?.append(.exactly("b")) },
      { $0.issuers = [try .template("https://a/{t}", claim: "t")] },
      { $0.issuers = [try .template("https://a/{t}/b", claim: "t")] },
      { $0.issuers = [try .template("https://b/{t}", claim: "t")] },
      { $0.issuers = [try .template("https://a/{t}", claim: "u")] },
      { $0.issuers = [try .template("https://a/{t}", claim: "t", among: [])] },
      { $0.issuers = [try .template("https://a/{t}", claim: "t", among: ["x"])] },
    ],
    "audiences": [{ $0.audiences = nil }, { $0.audiences = [] }, { $0.audiences?.append("b") }],
    "authorizedParty": [{ $0.authorizedParty = "a" }, { $0.authorizedParty = "" }],
    "type": [{ $0.type = .any }, { $0.type = .ifPresent("at+jwt") }, { $0.type = .required("JWT") }],
    "requiredClaims": [{ $0.requiredClaims = [] }, { $0.requiredClaims.append("email") }],
    "requiresKeyID": [{ $0.requiresKeyID = false }], "requiresUserID": [{ $0.requiresUserID = false }],
    "checksTime": [{ $0.checksTime = false }], "checksAuthenticationTime": [{ $0.checksAuthenticationTime = false }],
    "binding": [{ $0.binding = .bearer }, { $0.binding = .bound }],
    // The storage of `nonce`.
    "hiddenNonce": [{ $0.nonce = "" }, { $0.nonce = "n" }],
    "accompanyingAccessToken": [{ $0.accompanyingAccessToken = Secret("a") }],
    "accompanyingCode": [{ $0.accompanyingCode = Secret("a") }],
    "maximumLifetime": [{ $0.maximumLifetime = .zero }, { $0.maximumLifetime = .seconds(1) }],
    "maximumAge": [{ $0.maximumAge = .zero }, { $0.maximumAge = .seconds(1) }],
    "limits": [
      { $0.limits.token += 1 }, { $0.limits.header += 1 }, { $0.limits.json.bytes += 1 }, { $0.limits.json.depth += 1 },
      { $0.limits.json.members += 1 }, { $0.limits.json.nameBytes += 1 },
    ],
    // The storage of `leeway`.
    "allowedSkew": [{ $0.leeway = .nanoseconds(1) }, { $0.leeway = .seconds(1) }],
  ]

  @Test func `changes with every rule of its policy, and each change is another one`() throws {
    var seen = [try Self.identity { _ in }]
    for (name, changes) in Self.changes {
      for (index, change) in changes.enumerated() {
        let identity = try Self.identity(change)
        #expect(!seen.contains(identity), "\(name), change \(index)")
        seen.append(identity)
      }
    }
  }

  @Test func `has every stored property of its policy, keys and limits`() throws {
    // The clocks provide the moment, which is checked each time.
    let policy = Self.properties(VerificationPolicy(algorithms: []))
    #expect(policy == Set(Self.changes.map(\.key)).union(["clocks"]))
    #expect(Self.properties(TokenLimits()) == ["token", "header", "json"])
    #expect(Self.properties(JSONLimits.standard) == ["bytes", "depth", "members", "nameBytes"])
    let issuer = try AcceptedIssuer.template("https://a/{t}", claim: "t")
    #expect(Self.properties(issuer) == ["prefix", "tenant"])
    let tenant = try #require(Mirror(reflecting: issuer).descendant("tenant", "some"))
    #expect(Self.properties(tenant) == ["suffix", "claim", "values"])
    // `desks` is the state for each thread, `indexes` is derived from `keys`, and `omissions` are counted.
    #expect(Self.properties(TokenScene.verifier) == ["keys", "policy", "desks"])
    #expect(Self.properties(TokenScene.keys) == ["keys", "omissions", "ambiguous", "indexes"])
    #expect(Self.properties(TokenScene.keys.keys[0]) == Set(Self.members.map(\.key)).union(["certificates"]))
  }

  /// A change for each stored property of a key. `certificates` are only stored with it: no verifier of a set uses
  /// them.
  private static let members: KeyValuePairs<String, JSONObject> = TokenScene.made {
    [
      "key": ["x": try JWK(.publicKey(PrivateKey.generate(.ed25519).publicKey)).json["x"] ?? .null],
      "keyID": ["kid": "other"], "algorithm": ["alg": "EdDSA"], "use": ["use": "sig"],
      "operations": ["key_ops": ["verify"]], "issuer": ["issuer": "https://a/{tenantid}"],
      "certificateFingerprint": ["x5t#S256": .string(Base64URL.encode(Array(repeating: 7, count: 32)))],
    ]
  }

  @Test func `changes with every key, and every member of it`() throws {
    let plain = try #require(try JWK(.publicKey(TokenScene.ed25519.publicKey), keyID: "k").json.object)
    func identity(_ keys: [JSONObject]) throws -> [UInt8] {
      let set = try JWKSet(["keys": .array(keys.map { .object($0) })])
      #expect(set.keys.count == keys.count)
      return try Self.identity({ _ in }, keys: set)
    }
    var seen = [try identity([]), try identity([plain])]
    #expect(seen[0] != seen[1])
    for (name, changes) in Self.members {
      var changed = plain
      for member in changes.members { changed[member.name] = member.value }
      let changedIdentity = try identity([changed])
      #expect(!seen.contains(changedIdentity), "\(name)")
      seen.append(changedIdentity)
    }
    // Secrets too, which are not part of their own JSON.
    let secrets = try (0..<2).map { _ in
      try Self.identity({ _ in }, keys: JWKSet([JWK(.symmetric(.generate()), keyID: "k")]))
    }
    #expect(secrets[0] != secrets[1])
  }

  @Test
  func `changes with the number of skipped keys, which decide for a token without a name, and not with their order`()
    throws
  {
    let good = try [TokenScene.rsa, TokenScene.p256].map { try JWK(.publicKey($0.publicKey)).json }
    let odd: [JSONValue] = [["kty": "AKP", "kid": "new"], ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"], 7]
    func identity(_ keys: [JSONValue]) throws -> [UInt8] {
      try Self.identity({ _ in }, keys: JWKSet(["keys": .array(keys)]))
    }
    let none = try identity(good)
    let all = try identity(good + odd)
    #expect(none != all)
    #expect(try identity(good + odd.dropLast()) != all)
    // In any order, and whatever is wrong with them.
    for shift in 0..<5 {
      let keys = good + odd
      #expect(try identity(Array(keys[shift...] + keys[..<shift])) == all)
      #expect(try identity(Array(keys[shift...] + keys[..<shift]).reversed()) == all)
    }
    // An ignored member has no effect.
    var labelled = try #require(good[0].object)
    labelled["use"] = .null
    #expect(try identity([.object(labelled), good[1]]) == none)
  }

  @Test func `of a nested token has every stored property of both steps`() throws {
    let nested = NestedTokenVerifier(decrypter: EncryptionScene.decrypter, verifier: TokenScene.verifier)
    #expect(Self.properties(nested) == ["decrypter", "verifier"])
    #expect(Self.properties(nested.decrypter) == ["keys", "policy"])
    #expect(Self.properties(nested.decrypter.keys) == ["keys", "skipped", "indexes"])
    let changes: KeyValuePairs<String, (inout DecryptionPolicy) -> Void> = [
      "algorithms": { $0.algorithms = [] }, "encryptions": { $0.encryptions = [] },
      "requiresKeyID": { $0.requiresKeyID.toggle() }, "limits": { $0.limits.token += 1 },
    ]
    #expect(Self.properties(nested.decrypter.policy) == Set(changes.map(\.key)))
    for (name, change) in changes {
      var policy = nested.decrypter.policy
      change(&policy)
      let decrypter = TokenDecrypter(keys: nested.decrypter.keys, policy: policy)
      let other = NestedTokenVerifier(decrypter: decrypter, verifier: TokenScene.verifier)
      #expect(try other.identity != nested.identity, "\(name)")
    }
  }
}
