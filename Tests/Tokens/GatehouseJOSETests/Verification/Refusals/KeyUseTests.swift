import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Valid keys that are not for this use, and JSON that is not a key (group 18).
struct `A key in JSON` {
  private func members(_ key: PrivateKey) throws -> JSONObject {
    try #require(JWK(.publicKey(key.publicKey), keyID: "k").json.object)
  }

  /// The error for a token whose key has these members; the set itself must be valid.
  private func refusal(_ changes: KeyValuePairs<String, JSONValue>) throws -> AuthError.Code? {
    var key = try members(TokenScene.rsa)
    for (name, value) in changes { key[name] = value }
    let set = try JWKSet(["keys": [.object(key)]])
    let verifier = TokenVerifier(keys: set, policy: VerificationPolicy(algorithms: [.RS256]))
    return try TokenScene.refusal(
      of: TokenSigner(key: TokenScene.rsa, keyID: "k").sign(TokenScene.claims), by: verifier)
  }

  @Test func `verifies only if its use and its operations say so (group 18)`() throws {
    for changes in [
      [:], ["use": "sig"], ["key_ops": ["verify"]], ["key_ops": ["sign", "verify"]], ["alg": "RS256"],
      ["use": "sig", "key_ops": ["verify"], "alg": "RS256"],
    ] as [KeyValuePairs<String, JSONValue>] { #expect(try refusal(changes) == nil, "\(changes)") }
    for changes in [["use": "enc"], ["use": "SIG"], ["use": ""], ["use": "sig "]] as [KeyValuePairs<String, JSONValue>]
    {
      let code = try refusal(changes)
      #expect(code == .unknownKey || code == .algorithmRefused, "\(changes)")
    }
    for changes in [
      ["key_ops": ["sign"]], ["key_ops": []], ["key_ops": ["Verify"]], ["key_ops": ["encrypt", "wrapKey"]],
      ["use": "enc", "key_ops": ["verify"]], ["use": "sig", "key_ops": ["encrypt"]], ["alg": "PS256"], ["alg": "RS512"],
    ] as [KeyValuePairs<String, JSONValue>] {
      let code = try refusal(changes)
      #expect(code == .algorithmRefused || code == .unknownKey, "\(changes)")
    }
  }

  @Test(arguments: [JWSAlgorithm.HS256, .HS384, .HS512])
  func `of a shared secret is as long as the hash (group 18)`(algorithm: JWSAlgorithm) throws {
    let least = try #require(algorithm.mac?.length)
    for (count, isEnough) in [(0, false), (15, false), (16, false), (least - 1, false), (least, true), (1024, true)] {
      let key: JSONValue = [
        "kty": "oct", "alg": .string(algorithm.rawValue),
        "k": .string(Base64URL.encode(Array(repeating: UInt8(7), count: count))),
      ]
      #expect(
        TestSupport.refusal { try JWK(key) } == (isEnough ? nil : .keyInvalid), "\(count)")
    }
    // Not bound to the algorithm, and too short for it.
    let short = try JWK(.symmetric(SecretKey(Array(repeating: 7, count: least - 1))), keyID: "k")
    #expect(
      TestSupport.refusal { try TokenSigner(short, algorithm: algorithm) } == .algorithmRefused)
    #expect(!short.verifies(algorithm))
    let set = try JWKSet([short])
    let verifier = TokenVerifier(keys: set, policy: VerificationPolicy(algorithms: [algorithm]))
    let token = try SigningKeys.pair(algorithm).0.sign(TokenScene.claims)
    #expect(TokenScene.refusal(of: token, by: verifier) == .algorithmRefused)
  }

  @Test(arguments: [("p256", 32), ("p384", 48), ("p521", 66), ("secp256k1", 32)])
  func `of a point has whole coordinates on its own curve (group 18)`(kind: String, length: Int) throws {
    guard case .privateKey(let key)? = SigningKeys.all.first(where: { $0.key == kind })?.value else { return }
    let good = try members(key)
    func refusal(_ name: String, _ value: JSONValue?) -> AuthError.Code? {
      TestSupport.refusal { try JWK(.object(good.with(name, value))) }
    }
    for name in ["x", "y"] {
      let bytes = try Base64URL.decode(#require(good[name]?.string))
      #expect(bytes.count == length)
      for wrong in [
        [0] + bytes, Array(bytes.dropFirst()), Array(bytes.dropLast()), bytes + [0], [],
        Array(repeating: 0, count: length), Array(repeating: 0xFF, count: length),
        bytes.dropLast() + [bytes[length - 1] ^ 1],
      ] as [[UInt8]] { #expect(refusal(name, .string(Base64URL.encode(wrong))) == .keyInvalid, "\(name)") }
      for wrong in [nil, .null, 1, ["x"], .string(Base64URL.encode(bytes) + "=")] as [JSONValue?] {
        #expect(refusal(name, wrong) == .keyInvalid)
      }
    }
    for curve in ["P-256", "P-384", "P-521", "secp256k1"] where good["crv"]?.string != curve {
      #expect(refusal("crv", .string(curve)) == .keyInvalid, "\(curve)")
    }
    for curve in ["P-192", "p-256", "P256", "", "Ed25519", "secp256r1"] {
      #expect(refusal("crv", .string(curve)) == .keyUnsupported, "\(curve)")
    }
    for algorithm in JWSAlgorithm.allCases where algorithm != JWSAlgorithm(for: key.type) {
      #expect(refusal("alg", .string(algorithm.rawValue)) == .algorithmRefused, "\(algorithm)")
    }
  }

  @Test func `of RSA has numbers that are sound, each in its one spelling (group 18)`() throws {
    let good = try members(TokenScene.rsa)
    let n = try Base64URL.decode(#require(good["n"]?.string))
    func refusal(_ name: String, _ bytes: [UInt8]) -> AuthError.Code? {
      TestSupport.refusal {
        try JWK(.object(good.with(name, .string(Base64URL.encode(bytes)))))
      }
    }
    for wrong in [
      [], [0] + n, Array(n.prefix(128)), Array(n.prefix(255)), n.dropLast() + [n[255] & 0xFE],
      [1] + Array(repeating: 1, count: 1024), Array(repeating: 0, count: 256),
    ] as [[UInt8]] { #expect(refusal("n", wrong) == .keyInvalid, "\(wrong.count) bytes") }
    for wrong in [[], [0], [1], [2], [0, 3], [4], [1, 0, 0], [1, 0, 0, 0, 1], Array(repeating: 1, count: 16)]
      as [[UInt8]]
    {
      #expect(refusal("e", wrong) == .keyInvalid, "\(wrong)")
    }
    #expect(refusal("e", [3]) == nil)
  }

  @Test(arguments: ["ed25519", "ed448"])
  func `on an Edwards curve is sound, and its own (group 18)`(kind: String) throws {
    guard case .privateKey(let key)? = SigningKeys.all.first(where: { $0.key == kind })?.value else { return }
    let good = try members(key)
    let x = try Base64URL.decode(#require(good["x"]?.string))
    for wrong in [[], x + [0], Array(x.dropLast()), [1] + Array(repeating: 0, count: x.count - 1), x.map { _ in 0xFF }]
    {
      let json = JSONValue.object(good.with("x", .string(Base64URL.encode(wrong))))
      #expect(TestSupport.refusal { try JWK(json) } == .keyInvalid)
    }
    for curve in ["Ed25519", "Ed448"] where good["crv"]?.string != curve {
      let json = JSONValue.object(good.with("crv", .string(curve)))
      #expect(TestSupport.refusal { try JWK(json) } == .keyInvalid)
    }
  }
}
