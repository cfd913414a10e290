import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// The messages that a verifier must reject; every message here differs from a good one by one change.
struct `A verifier of messages` {
  private typealias Scene = MessageScene

  @Test func `accepts the good messages that all others are made from`() throws {
    #expect(try Scene.refusal(Scene.flat()) == nil)
    #expect(try Scene.refusal(Scene.general()) == nil)
    #expect(try Scene.refusal(Scene.general(), .one) == nil)
    #expect(try Scene.refusal(Scene.flat().with("unknown", [1, 2])) == nil, "members that nobody knows are ignored")
  }

  @Test func `refuses what is no message (groups 1 and 3)`() throws {
    let flat = try Scene.flat()
    for (name, value, code) in [
      ("signature", nil, .tokenMalformed), ("signature", "", .tokenMalformed), ("signature", 1, .tokenMalformed),
      ("signature", .null, .tokenMalformed), ("payload", nil, .tokenMalformed), ("payload", 1, .tokenMalformed),
      ("payload", .null, .tokenMalformed), ("payload", ["a": 1], .tokenMalformed), ("protected", nil, .headerInvalid),
      ("protected", "", .headerInvalid), ("protected", 1, .tokenMalformed),
      ("protected", ["alg": "ES256"], .tokenMalformed),
      ("header", "x", .headerInvalid), ("header", [], .headerInvalid), ("header", .null, .headerInvalid),
    ] as [(String, JSONValue?, AuthError.Code)] {
      for rule in [SignatureRule.all, .one] {
        #expect(Scene.refusal(flat.with(name, value), rule) == code, "\(name): \(value ?? "none")")
      }
    }
    for text in ["", "{", "[]", "\"text\"", "null", "{}x", "\u{FEFF}{}"] {
      #expect(refusal { try Scene.verifier.verify(json: text.utf8) } == .jsonMalformed)
    }
    #expect(Scene.refusal([:]) == .tokenMalformed)
  }

  @Test func `refuses two messages in one: whoever reads it otherwise reads another (group 1)`() throws {
    let flat = try Scene.flat()
    let general = try Scene.general()
    for name in ["signature", "protected", "header"] {
      let value = flat[name] ?? .object(["kid": "rsa"])
      #expect(Scene.refusal(general.with(name, value)) == .tokenMalformed, "\(name)")
      #expect(Scene.refusal(general.with(name, value), .one) == .tokenMalformed, "\(name)")
    }
    // A compact token is not JSON, and JSON is not a compact token, regardless of their content.
    let compact = try TokenScene.signed()
    #expect(refusal { try Scene.verifier.verify(json: compact.utf8) } == .jsonMalformed)
    for message in [flat, general] {
      #expect(Scene.refusal(message.description) == .tokenMalformed)
      #expect(TokenScene.refusal(of: message.description) == .tokenMalformed)
    }
    let parts = compact.split(separator: ".").map(String.init)
    for polyglot in [
      "{\"protected\":\"\(parts[0])\",\"payload\":\"\(parts[1])\",\"signature\":\"\(parts[2])\",\"x\":\"\(compact)\"}",
      "{\"\(parts[0]).\(parts[1]).\(parts[2])\":\"\"}",
    ] { #expect(Scene.refusal(polyglot) == .base64Malformed) }
  }

  @Test func `refuses a member that occurs twice, however deep (group 6)`() throws {
    let flat = try Scene.flat().description.dropLast()
    let header = Base64URL.encode("{\"alg\":\"ES256\",\"\\u0061lg\":\"ES256\"}".utf8)
    for text in [
      flat + ",\"payload\":\"\"}", flat + ",\"\\u0070ayload\":\"\"}", flat + ",\"header\":{\"a\":1,\"a\":2}}",
    ] {
      #expect(refusal { try Scene.verifier.verify(json: text.utf8) } == .jsonDuplicateMember)
    }
    #expect(try Scene.refusal(Scene.flat().with("protected", .string(header))) == .jsonDuplicateMember)
  }

  @Test func `refuses a name in both halves of a header (group 6)`() throws {
    for name in ["kid", "alg"] {
      #expect(try Scene.refusal(Scene.flat().with("header", [name: "p256"])) == .headerInvalid)
    }
  }

  @Test func `refuses what is too large before it is decoded (group 2)`() throws {
    let flat = try Scene.flat()
    let long = String(repeating: "!", count: 16 << 10)
    #expect(Scene.refusal(flat.with("payload", .string(long))) == .tokenTooLarge)
    #expect(Scene.refusal(flat.with("signature", .string(String(repeating: "!", count: 1367)))) == .tokenTooLarge)
    #expect(Scene.refusal(flat.with("protected", .string(String(repeating: "!", count: 4097)))) == .tokenTooLarge)
    #expect(
      refusal {
        try Scene.verifier.verify(json: repeatElement(UInt8(ascii: "["), count: 1 << 30))
      }
        == .tokenTooLarge)
    let signatures = try #require(Scene.general()["signatures"]?.array)
    let many = JSONValue.array(Array(repeating: signatures[1], count: 17))
    let verifier = JWSVerifier(keys: Scene.keys, policy: Self.roomy)
    for (value, code) in [
      (.array([]), .tokenMalformed), (many, .tokenMalformed), ([1], .tokenMalformed), ("x", .tokenMalformed),
      ([.object([:])], .tokenMalformed), (.null, .tokenMalformed),
    ] as [(JSONValue, AuthError.Code)] {
      for rule in [SignatureRule.all, .one] {
        #expect(try Scene.refusal(Scene.general().with("signatures", value), rule, by: verifier) == code)
      }
    }
    let deep = JSONValue.array([.array([.array([.array([])])])])
    let deepest = (0..<14).reduce(deep) { value, _ in [value] }
    #expect(Scene.refusal(flat.with("x", deepest)) == .jsonTooLarge)
  }

  private static let roomy: VerificationPolicy = {
    var policy = VerificationPolicy(algorithms: [.RS256, .ES256, .EdDSA])
    policy.limits.token = 64 << 10
    return policy
  }()

  @Test func `refuses every spelling of base64url but the canonical one (group 4)`() throws {
    let flat = try Scene.flat()
    for name in ["protected", "payload", "signature"] {
      let text = try #require(flat[name]?.string)
      for junk in ["=", "+", "/", " ", "\n", "\0", "\u{E9}"] {
        #expect(Scene.refusal(flat.with(name, .string(text + junk))) == .base64Malformed, "\(junk) in \(name)")
      }
    }
    // 64 bytes leave four unused bits.
    let spelledOtherwise = try #require(flat["signature"]?.string).dropLast() + "_"
    #expect(Scene.refusal(flat.with("signature", .string(String(spelledOtherwise)))) == .base64Malformed)
  }

  @Test func `refuses a signature by another key, of another message or under another header`() throws {
    let flat = try Scene.flat()
    let other = try Scene.signers[1].signJSON(message: [1])
    #expect(Scene.refusal(flat.with("payload", other["payload"])) == .signatureInvalid)
    #expect(Scene.refusal(flat.with("signature", other["signature"])) == .signatureInvalid)
    let header: JSONObject = ["alg": "ES256", "kid": "p256", "x": 1]
    #expect(
      Scene.refusal(flat.with("protected", .string(Base64URL.encode(header.serialized())))) == .signatureInvalid)
    let stranger = try TokenSigner(key: .generate(.p256), keyID: "p256").signJSON(message: Scene.payload)
    #expect(Scene.refusal(stranger) == .signatureInvalid)
    let unknown = try TokenSigner(key: .generate(.p256), keyID: "x").signJSON(message: Scene.payload)
    #expect(Scene.refusal(unknown) == .unknownKey)
    let none: JSONObject = ["alg": "none", "kid": "p256"]
    #expect(
      Scene.refusal(flat.with("protected", .string(Base64URL.encode(none.serialized())))) == .algorithmRefused)
  }

  @Test func `counts the good signatures only, and gives no header of the others`() throws {
    let general = try Scene.general()
    let good = try #require(general["signatures"]?.array)
    let stranger = try TokenSigner(key: .generate(.p256), keyID: "p256").signJSON(message: Scene.payload)
    let forged = JSONValue.object(stranger.with("payload", nil))
    for list in [[forged, good[0]], [good[0], forged]] {
      let message = general.with("signatures", .array(list))
      #expect(Scene.refusal(message) == .signatureInvalid)
      #expect(try Scene.verifier.verify(json: message.serialized(), requiring: .one).headers.map(\.keyID) == ["rsa"])
    }
    for rule in [SignatureRule.all, .one] {
      #expect(Scene.refusal(general.with("signatures", [forged, forged]), rule) == .signatureInvalid)
    }
  }

  @Test func `refuses signatures that do not agree on what the payload is (group 12)`() throws {
    let encoded = try Scene.signers[0].signJSON(message: [], as: .usual)
    let plain = try Scene.signers[1].signJSON(message: [], as: MessageForm(encodesPayload: false))
    func both(_ first: JSONObject, _ second: JSONObject) -> JSONObject {
      ["signatures": [.object(first.with("payload", nil)), .object(second.with("payload", nil))]]
    }
    // With an empty or a detached payload, both interpretations give the same bytes, and both are valid.
    for message in [both(encoded, plain), both(plain, encoded)] {
      for rule in [SignatureRule.all, .one] {
        #expect(Scene.refusal(message.with("payload", ""), rule) == .headerInvalid)
        #expect(Scene.refusal(message, beside: [], rule) == .headerInvalid)
      }
    }
  }

  @Test func `takes a payload beside the message or in it, and not both`() throws {
    let beside = MessageForm(carriesPayload: false)
    let signer = Scene.signers[1]
    let detached = try signer.signJSON(message: Scene.payload, as: beside)
    #expect(Scene.refusal(detached, beside: Scene.payload) == nil)
    #expect(Scene.refusal(detached) == .tokenMalformed)
    #expect(Scene.refusal(detached, beside: Scene.payload + [0]) == .signatureInvalid)
    #expect(try Scene.refusal(Scene.flat(), beside: Scene.payload) == .tokenMalformed)
    let compact = try signer.sign(message: Scene.payload, as: beside)
    #expect(Scene.refusal(compact) == .signatureInvalid)
    let whole = try signer.sign(message: Scene.payload, as: .usual)
    #expect(
      refusal { try Scene.verifier.verify(whole, detachedPayload: Scene.payload) }
        == .tokenMalformed)
  }

  @Test func `refuses a kid that nobody signed if it is none, or nobody's (group 10)`() throws {
    let signer = try TokenSigner(key: TokenScene.p256)
    func refusal(_ keyID: JSONValue) throws -> AuthError.Code? {
      try Scene.refusal(signer.signJSON(message: [1], unprotected: ["kid": keyID]))
    }
    #expect(try refusal("p256") == nil)
    #expect(try refusal("x") == .unknownKey)
    #expect(try refusal("rsa") == .algorithmRefused)
    #expect(try refusal(.string(String(repeating: "k", count: 257))) == .headerInvalid)
    for value in [1, .null, ["p256"], true] as [JSONValue] { #expect(try refusal(value) == .headerInvalid) }
    #expect(try Scene.refusal(signer.signJSON(message: [1])) == nil, "the only key for its algorithm")
    let named = try JWSVerifier(
      keys: JWKSet([JWK(.publicKey(TokenScene.p256.publicKey), keyID: "only")]), policy: Self.named)
    #expect(try Scene.refusal(signer.signJSON(message: [1]), by: named) == .unknownKey)
    #expect(try Scene.refusal(signer.signJSON(message: [1], unprotected: ["kid": "only"]), by: named) == nil)
  }

  private static let named: VerificationPolicy = {
    var policy = VerificationPolicy(algorithms: [.ES256])
    policy.requiresKeyID = true
    return policy
  }()

  @Test func `never lets a header bring its own key, signed or not (group 11)`() throws {
    let stranger = try JWK(.privateKey(PrivateKey.generate(.p256)), keyID: "p256")
    let signer = try TokenSigner(stranger)
    let own = try #require(stranger.publicJWK).json
    #expect(try Scene.refusal(signer.signJSON(message: [1], unprotected: ["jwk": own])) == .signatureInvalid)
    let message = try signer.sign(payload: [1], header: ["alg": "ES256", "kid": "p256", "jwk": own])
    #expect(Scene.refusal(message) == .signatureInvalid)
  }
}
