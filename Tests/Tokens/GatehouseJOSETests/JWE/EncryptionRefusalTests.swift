import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import TestSupport
import Testing

/// The messages that a decrypter must reject, each with its own error code. Every message here differs from a good one
/// by one change.
struct `A decrypter` {
  private typealias Scene = EncryptionScene

  @Test func `decrypts the good message that others are made from`() throws {
    #expect(try Scene.decrypter.decrypt(Scene.message()).plaintext == Scene.plaintext)
    #expect(try Scene.decrypter.decrypt(Scene.message(with: ["x": 1])).plaintext == Scene.plaintext)
  }

  // MARK: Structure

  @Test func `refuses what is not five parts (group 1)`() throws {
    let message = try Scene.message()
    let parts = message.split(separator: ".").map(String.init)
    let wrong = [
      "", ".", "..", "...", "....", ".....", String(repeating: ".", count: 10_000), parts[0], message + ".",
      message + "." + parts[4], "." + message, parts.dropLast().joined(separator: "."),
      parts.dropFirst().joined(separator: "."), Scene.replacing(0, of: message, with: ""),
    ]
    for message in wrong { #expect(Scene.refusal(of: message) == .tokenMalformed, "\(message.prefix(40))") }
    for message in ["Bearer " + message, " " + message, "\n" + message] {
      #expect(Scene.refusal(of: message) == .base64Malformed)
    }
  }

  @Test func `refuses the JSON form, and a header that nothing protects (groups 1 and 13)`() throws {
    let message = try Scene.message()
    let parts = message.split(separator: ".").map(String.init)
    let json = """
      {"protected":"\(parts[0])","unprotected":{"alg":"A128KW"},"encrypted_key":"\(parts[1])","iv":"\(parts[2])",\
      "ciphertext":"\(parts[3])","tag":"\(parts[4])"}
      """
    #expect(Scene.refusal(of: json) == .tokenMalformed)
    #expect(Scene.refusal(of: json.replacing("{\"alg\":\"A128KW\"}", with: "{\"....\":1}")) == .base64Malformed)
  }

  @Test func `refuses what is too large before it is decoded (group 2)`() throws {
    #expect(Scene.refusal(of: String(repeating: "!", count: 16 << 10 + 1)) == .tokenTooLarge)
    #expect(
      try Scene.refusal(of: Scene.message(with: ["x": .string(String(repeating: "x", count: 4000))])) == .tokenTooLarge)
    let message = try Scene.message()
    // Outside the alphabet, but never parsed.
    #expect(
      Scene.refusal(of: Scene.replacing(1, of: message, with: String(repeating: "!", count: 40))) == .tokenMalformed)
    #expect(
      Scene.refusal(of: Scene.replacing(2, of: message, with: String(repeating: "!", count: 40))) == .tokenMalformed)
    #expect(
      Scene.refusal(of: Scene.replacing(4, of: message, with: String(repeating: "!", count: 40))) == .tokenMalformed)
    var policy = Scene.policy
    policy.limits.token = message.utf8.count - 1
    let decrypter = TokenDecrypter(keys: Scene.decrypter.keys, policy: policy)
    #expect(Scene.refusal(of: message, by: decrypter) == .tokenTooLarge)
  }

  @Test func `refuses every spelling of base64url but the canonical one (group 4)`() throws {
    let message = try Scene.message("rsa", .RSAOAEP256, .A256CBCHS512)
    let parts = message.split(separator: ".").map(String.init)
    for place in 0..<5 {
      for junk in ["=", "+", "/", " ", "é", "\n"] {
        var part = parts[place]
        let start = part.index(part.startIndex, offsetBy: 4)
        part.replaceSubrange(start..<part.index(start, offsetBy: junk.utf8.count), with: junk)
        let changed = Scene.replacing(place, of: message, with: part)
        #expect(Scene.refusal(of: changed) == .base64Malformed, "\(junk) in part \(place)")
      }
    }
    // 256 bytes of encrypted key and 16 of nonce leave four unused bits, and 32 of tag leave two.
    for (place, last) in [(1, "_"), (2, "_"), (4, "_")] {
      let changed = Scene.replacing(place, of: message, with: parts[place].dropLast() + last)
      #expect(Scene.refusal(of: changed) == .base64Malformed, "part \(place)")
    }
  }

  @Test(arguments: ["{\"alg\":\"dir\",\"\\u0061lg\":\"dir\"}", "{\"epk\":{\"x\":1,\"x\":2},\"alg\":\"dir\"}"])
  func `refuses a header that names one member twice (group 6)`(header: String) {
    #expect(Scene.refusal(of: Base64URL.encode(header.utf8) + "..AAAA.AAAA.AAAA") == .jsonDuplicateMember)
  }

  @Test(arguments: ["[]", "null", "{}x", "\u{FEFF}{}", "{'alg':'dir'}"])
  func `refuses a header that is not a strict JSON object (group 5)`(header: String) {
    #expect(Scene.refusal(of: Base64URL.encode(header.utf8) + "..AAAA.AAAA.AAAA") == .jsonMalformed)
  }

  // MARK: Header

  @Test(arguments: [
    "none", "NONE", "", "RS256", "HS256", "RSA1_5", "RSA-OAEP-1", "RSA-OAEP-384", "PBES2-HS256+A128KW",
    "PBES2-HS512+A256KW", "A512KW", "A256GCMkw", "A192GCM", "ECDH-ES+A128GCMKW", "ECDH-1PU", "DIR", "Dir", "a128kw",
    "A128\u{212A}W",
    "A128KW ",
  ])
  func `refuses algorithms that are unknown, or weak, or for passwords (groups 9 and 21)`(name: String) throws {
    #expect(try Scene.refusal(of: Scene.message(with: ["alg": .string(name)])) == .algorithmRefused)
  }

  @Test func `refuses an algorithm that is missing or no text (group 9)`() throws {
    for value in [nil, 1, ["A128KW"], .null] as [JSONValue?] {
      #expect(try Scene.refusal(of: Scene.message(with: ["alg": value])) == .algorithmRefused)
      #expect(try Scene.refusal(of: Scene.message(with: ["enc": value])) == .algorithmRefused)
    }
    for name in ["", "A192gcm", "A192CBC-HS256", "A128CBC+HS256", "a128gcm", "none", "dir"] {
      #expect(try Scene.refusal(of: Scene.message(with: ["enc": .string(name)])) == .algorithmRefused)
    }
  }

  @Test func `refuses algorithms that its policy does not list`() throws {
    let message = try Scene.message()
    for (algorithms, encryptions) in [
      ([], [.A128GCM]), ([.A128KW], []), ([.A256KW, .dir], [.A128GCM]), ([.A128KW], [.A256GCM]),
    ] as [(Set<JWEAlgorithm>, Set<ContentEncryption>)] {
      let policy = DecryptionPolicy(algorithms: algorithms, encryptions: encryptions)
      let decrypter = TokenDecrypter(keys: Scene.decrypter.keys, policy: policy)
      #expect(Scene.refusal(of: message, by: decrypter) == .algorithmRefused)
    }
  }

  @Test func `refuses an algorithm that is not its key's (group 9)`() throws {
    // Naming another key also changes the header, but the message is rejected before that matters.
    for way in Scene.ways {
      let message = try Scene.message(way.name, way.algorithm, way.encryption)
      for jwk in Scene.jwks where !jwk.decrypts(way.algorithm, way.encryption) {
        let changed = try Scene.rewriting(message) { $0["kid"] = jwk.keyID.map(JSONValue.string) }
        #expect(Scene.refusal(of: changed) == .algorithmRefused, "\(way) for \(jwk.keyID ?? "")")
      }
    }
  }

  @Test func `knows its keys by their names, byte for byte (group 10)`() throws {
    for name in ["x", "", "RSA", "16 bytes ", "../16 bytes", "16 bytes\0"] {
      #expect(try Scene.refusal(of: Scene.message(with: ["kid": .string(name)])) == .unknownKey)
    }
    #expect(try Scene.refusal(of: Scene.message(with: ["kid": 16])) == .headerInvalid)
    #expect(
      try Scene.refusal(of: Scene.message(with: ["kid": .string(String(repeating: "k", count: 257))]))
        == .headerInvalid)

    let secret = try Scene.jwk("16 bytes").key
    let message = try TokenEncrypter(JWK(secret, keyID: "\u{E9}"), algorithm: .A128KW).encrypt([1])
    func refusal(_ keyID: String?, requiresKeyID: Bool = false, of message: String) throws -> AuthError.Code? {
      var policy = Scene.policy
      policy.requiresKeyID = requiresKeyID
      let keys = try DecryptionKeys([JWK(secret, keyID: keyID)])
      return Scene.refusal(of: message, by: TokenDecrypter(keys: keys, policy: policy))
    }
    #expect(try refusal("\u{E9}", of: message) == nil)
    #expect(try refusal("\u{E9}", requiresKeyID: true, of: message) == nil)
    #expect(try refusal("e\u{301}", of: message) == .unknownKey)
    #expect(try refusal(nil, of: message) == .unknownKey)
    let nameless = try TokenEncrypter(JWK(secret), algorithm: .A128KW).encrypt([1])
    #expect(try refusal("k", of: nameless) == nil)
    #expect(try refusal("k", requiresKeyID: true, of: nameless) == .unknownKey)
  }

  @Test func `takes no key from the header (group 11)`() throws {
    let own = try JWK(.symmetric(.generate(count: 16)))
    let stranger = try TokenEncrypter(own, algorithm: .A128KW, encryption: .A128GCM)
    let header: JSONObject = [
      "alg": "A128KW", "enc": "A128GCM", "kid": "16 bytes", "jwk": try own.jsonRevealingSecrets(),
      "jku": "https://example.com/keys", "x5u": "https://example.com/chain",
    ]
    let message = try stranger.encrypt([1], header: header, randomness: EncryptionRandomness())
    #expect(Scene.refusal(of: message) == .decryptionFailed)
  }

  @Test func `understands nothing critical (group 12)`() throws {
    for value in [["exp"], [], ["zip"], ["b64"], "exp", 1, .null, ["enc", "enc"]] as [JSONValue] {
      #expect(try Scene.refusal(of: Scene.message(with: ["crit": value, "exp": 1])) == .criticalHeader)
    }
  }

  // MARK: Group 21

  @Test func `refuses compressed messages, however it is spelled (group 21)`() throws {
    for value in ["DEF", "def", "", "none", 1, .null, []] as [JSONValue] {
      #expect(try Scene.refusal(of: Scene.message(with: ["zip": value])) == .compressionRefused)
    }
  }

  @Test func `asks for no password, however many rounds it takes (group 21)`() throws {
    for rounds in [0, 1, 1000, 1_000_000_000] as [JSONValue] {
      let message = try Scene.message(with: ["alg": "PBES2-HS256+A128KW", "p2c": rounds, "p2s": "AAAAAAAAAAA"])
      #expect(Scene.refusal(of: message) == .algorithmRefused)
    }
  }

  @Test(arguments: EncryptionScene.ways.filter { $0.name != "p384" && $0.name != "p521" })
  func `refuses a tag, an initialization vector or an encrypted key of another size (group 21)`(
    way: EncryptionScene.Way
  ) throws {
    let message = try Scene.message(way.name, way.algorithm, way.encryption)
    let parts = message.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for place in [1, 2, 4] {
      let bytes = try Base64URL.decode(parts[place])
      let wrong: [[UInt8]] = [bytes + [0], bytes + bytes + [0], bytes.dropLast(), bytes.dropLast(8), []]
      for wrong in wrong where wrong.count != bytes.count {
        let changed = Scene.replacing(place, of: message, with: Base64URL.encode(wrong))
        #expect(Scene.refusal(of: changed) == .tokenMalformed, "part \(place), \(wrong.count) bytes")
      }
    }
  }

  @Test func `refuses an encrypted key where there is none to be (group 21)`() throws {
    let wrapped = try Base64URL.encode(KeyWrap.wrap(SecretBytes(Array(0..<16)), with: SecretBytes(Array(0..<16))))
    for message in [
      try Scene.message("16 bytes", .dir, .A128GCM), try Scene.message("64 bytes", .dir, .A256CBCHS512),
      try Scene.message("p256", .ECDHES, .A128GCM), try Scene.message("x25519", .ECDHES, .A256GCM),
    ] {
      for key in ["AA", "AAAA", wrapped] {
        #expect(Scene.refusal(of: Scene.replacing(1, of: message, with: key)) == .tokenMalformed)
      }
    }
  }

  @Test(arguments: ["p256", "p384", "p521", "x25519"])
  func `refuses an epk that is not a public key on its key's curve (group 21)`(name: String) throws {
    for algorithm in [JWEAlgorithm.ECDHES, .ECDHESA128KW, .ECDHESA192KW, .ECDHESA256KW] {
      let message = try Scene.message(name, algorithm, .A128GCM)
      func refusal(_ epk: JSONValue?) throws -> AuthError.Code? {
        Scene.refusal(of: try Scene.rewriting(message) { $0["epk"] = epk })
      }
      let good = try JWK(.privateKey(Scene.jwk(name).key.privateKey ?? TokenScene.rsa))
      func changed(_ member: String, _ value: JSONValue?) -> JSONValue {
        var epk = good.json.object ?? [:]
        epk[member] = value
        return .object(epk)
      }
      // Only the change of the header is detected: the key is suitable for agreement.
      #expect(try refusal(good.json) == .decryptionFailed)
      let x = try Base64URL.decode(good.json["x"]?.string ?? "")
      let others = try Scene.jwks.filter { $0.keyID != name }.map { try ($0.publicJWK ?? $0).jsonRevealingSecrets() }
      let wrong: [JSONValue?] = [
        nil, .null, "epk", 1, [], ["kty": "EC"], try good.jsonRevealingSecrets(), changed("x", nil),
        changed("x", .string(Base64URL.encode(x.dropLast()))), changed("x", .string(Base64URL.encode(x + [0]))),
        changed("x", "="), changed("crv", "P-257"), changed("crv", "secp256k1"), changed("crv", "X448"),
        changed("kty", "RSA"), changed("kty", nil), changed("crv", nil),
      ]
      for epk in wrong + others { #expect(try refusal(epk) == .headerInvalid, "\(algorithm) \(epk ?? .null)") }
      if name != "x25519" {
        let y = try Base64URL.decode(good.json["y"]?.string ?? "")
        var off = y
        off[off.count - 1] ^= 1
        let zero = JSONValue.string(Base64URL.encode(Array(repeating: UInt8(0), count: x.count)))
        let infinity: JSONValue = [
          "kty": "EC", "crv": good.json["crv"] ?? .null, "x": zero, "y": zero,
        ]
        for epk in [changed("y", .string(Base64URL.encode(off))), changed("y", nil), infinity] {
          #expect(try refusal(epk) == .headerInvalid)
        }
      } else {
        for first in [0, 1] as [UInt8] {
          let smallOrder = [first] + Array(repeating: UInt8(0), count: 31)
          #expect(try refusal(changed("x", .string(Base64URL.encode(smallOrder)))) == .headerInvalid)
        }
      }
    }
  }

  @Test(arguments: ["apu", "apv"])
  func `refuses names of parties that are too long, or no base64url (group 21)`(name: String) throws {
    for algorithm in [JWEAlgorithm.ECDHES, .ECDHESA128KW] {
      let message = try Scene.message("p256", algorithm, .A128GCM)
      func refusal(_ value: JSONValue) throws -> AuthError.Code? {
        Scene.refusal(of: try Scene.rewriting(message) { $0[name] = value })
      }
      #expect(try refusal(.string(Base64URL.encode(Array(repeating: UInt8(1), count: 257)))) == .headerInvalid)
      for value in [1, .null, ["QWxpY2U"], true] as [JSONValue] { #expect(try refusal(value) == .headerInvalid) }
      for value in ["QWxpY2U=", "QWxpY2V", "A", "é"] { #expect(try refusal(.string(value)) == .base64Malformed) }
      // A well-formed value is an input of the derived key, which then differs.
      #expect(try refusal("QWxpY2U") == .decryptionFailed)
      #expect(try refusal("") == .decryptionFailed)
    }
  }

  @Test(arguments: [("16 bytes", JWEAlgorithm.A128GCMKW), ("24 bytes", .A192GCMKW), ("32 bytes", .A256GCMKW)])
  func `refuses a wrapped key without its own initialization vector and tag (group 21)`(
    name: String, algorithm: JWEAlgorithm
  ) throws {
    let message = try Scene.message(name, algorithm, .A128GCM)
    for member in ["iv", "tag"] {
      func refusal(_ change: (String) -> JSONValue?) throws -> AuthError.Code? {
        Scene.refusal(of: try Scene.rewriting(message) { $0[member] = change($0[member]?.string ?? "") })
      }
      let wrong: [JSONValue?] = [nil, .null, 1, "", [], "AA", .string(Base64URL.encode(Array(0..<17)))]
      for value in wrong { #expect(try refusal { _ in value } == .headerInvalid, "\(member) \(value ?? .null)") }
      #expect(try refusal { .string(String($0.dropLast()) + "=") } == .base64Malformed)
      // The key is unwrapped with it, and the header was changed.
      #expect(try refusal { .string(($0.first == "A" ? "B" : "A") + $0.dropFirst()) } == .decryptionFailed)
    }
  }

  @Test func `says the same of a wrong tag, a wrong encrypted key and a key of another size (group 21)`() throws {
    func answer(_ message: String) -> AuthError? {
      do {
        _ = try Scene.decrypter.decrypt(message)
        return nil
      } catch { return error as? AuthError }
    }
    var answers: [AuthError] = []
    let rsa = TokenScene.rsa.publicKey
    for (name, algorithm) in [
      ("rsa", JWEAlgorithm.RSAOAEP256), ("rsa", .RSAOAEP), ("16 bytes", .A128KW), ("32 bytes", .A256KW),
      ("24 bytes", .A192GCMKW),
    ] {
      let good = try Scene.message(name, algorithm, .A128CBCHS256)
      let parts = good.split(separator: ".").map(String.init)
      var key = try Base64URL.decode(parts[1])
      key[key.count - 1] ^= 1
      var tag = try Base64URL.decode(parts[4])
      tag[0] ^= 1
      answers.append(try #require(answer(Scene.replacing(1, of: good, with: Base64URL.encode(key)))))
      answers.append(try #require(answer(Scene.replacing(4, of: good, with: Base64URL.encode(tag)))))
    }
    // Only RSA can carry a key of another size, or one larger than the modulus allows.
    let good = try Scene.message("rsa", .RSAOAEP256, .A128CBCHS256)
    for key in [[], Array(repeating: 1, count: 16), Array(repeating: 1, count: 64)] as [[UInt8]] {
      let encrypted = try rsa.encryptOAEP(SecretBytes(key))
      answers.append(try #require(answer(Scene.replacing(1, of: good, with: Base64URL.encode(encrypted)))))
    }
    let tooLarge = Base64URL.encode(Array(repeating: UInt8(0xFF), count: 256))
    answers.append(try #require(answer(Scene.replacing(1, of: good, with: tooLarge))))
    #expect(answers.count == 14)
    #expect(answers.allSatisfy { $0.code == .decryptionFailed && $0.message == answers[0].message })
  }

  @Test func `takes no signed token, and a verifier no encrypted one (group 21)`() throws {
    let signed = try TokenScene.signed()
    #expect(Scene.refusal(of: signed) == .tokenMalformed)
    // The right number of parts does not make it a message.
    #expect(Scene.refusal(of: signed + ".AAAA.AAAA") == .algorithmRefused)
    let encrypted = try TokenEncrypter(key: TokenScene.rsa.publicKey, keyID: "rsa")
      .encrypt(TokenScene.claims.serialized(), type: "JWT")
    #expect(TokenScene.refusal(of: encrypted) == .tokenMalformed)
    let parts = encrypted.split(separator: ".").prefix(3).joined(separator: ".")
    #expect(TokenScene.refusal(of: parts) == .algorithmRefused)
  }
}

extension JWK.Key {
  var privateKey: PrivateKey? { if case .privateKey(let key) = self { key } else { nil } }
}
