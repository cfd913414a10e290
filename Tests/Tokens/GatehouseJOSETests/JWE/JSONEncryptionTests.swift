import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Encrypted messages in JSON: flattened, and general with several recipients.
struct `An encrypted message in JSON` {
  private typealias Scene = EncryptionScene

  private static func refusal(
    _ message: JSONObject, by decrypter: TokenDecrypter = Scene.decrypter
  ) -> AuthError.Code? { refusal(message.serialized(), by: decrypter) }

  private static func refusal(
    _ text: some Sequence<UInt8>, by decrypter: TokenDecrypter = Scene.decrypter
  ) -> AuthError.Code? {
    TestSupport.refusal { try decrypter.decrypt(json: text) }
  }

  private static func flattened(_ name: String = "16 bytes", _ algorithm: JWEAlgorithm = .A128KW) throws -> JSONObject {
    try Scene.encrypter(name, algorithm, .A128GCM).encryptJSON(Scene.plaintext)
  }

  private static func general(additionalData: [UInt8] = []) throws -> JSONObject {
    let receivers = [("rsa", JWEAlgorithm.RSAOAEP256), ("p256", .ECDHESA128KW), ("24 bytes", .A192GCMKW)]
    return try TokenEncrypter.encryptJSON(
      Scene.plaintext, to: receivers.map { try Scene.encrypter($0.0, $0.1, .A128GCM) }, type: "example",
      contentType: "text/plain", additionalData: additionalData, unprotected: ["note": 1])
  }

  private static func changing(
    _ message: JSONObject, _ name: String, _ value: JSONValue?
  ) -> JSONObject {
    var message = message
    message[name] = value
    return message
  }

  /// A message whose protected header was rewritten after encryption.
  private static func protecting(_ message: JSONObject, _ change: (inout JSONObject) -> Void) throws -> JSONObject {
    var header = try JSONObject(parsing: Base64URL.decode(message["protected"]?.string ?? ""))
    change(&header)
    return changing(message, "protected", .string(Base64URL.encode(header.serialized())))
  }

  // MARK: Valid messages

  @Test(arguments: EncryptionScene.ways)
  func `is what it was, once it is decrypted`(way: EncryptionScene.Way) throws {
    var encrypter = try Scene.encrypter(way.name, way.algorithm, way.encryption)
    encrypter.partyU = Array("Alice".utf8)
    for additionalData in [[], [1, 2, 3]] as [[UInt8]] {
      let message = try encrypter.encryptJSON(
        Scene.plaintext, type: "example", contentType: "text/plain", additionalData: additionalData,
        unprotected: ["note": ["a": 1]])
      let decrypted = try Scene.decrypter.decrypt(json: message.serialized())
      #expect(decrypted.plaintext == Scene.plaintext && decrypted.additionalData == additionalData)
      #expect(decrypted.unprotected == ["note": ["a": 1]])
      #expect(decrypted.header.algorithm == way.algorithm.rawValue && decrypted.header.keyID == way.name)
      #expect(decrypted.header.type == "example" && decrypted.header["cty"] == "text/plain")
      #expect(decrypted.header["note"] == nil)
      #expect((message["aad"] == nil) == additionalData.isEmpty)
    }
    // A single recipient in general JSON may also use any algorithm.
    let general = try TokenEncrypter.encryptJSON(Scene.plaintext, to: [encrypter])
    #expect(try Scene.decrypter.decrypt(json: general.serialized()).plaintext == Scene.plaintext)
  }

  @Test func `is decrypted by each of its recipients`() throws {
    let message = try Self.general(additionalData: [9]).serialized()
    for name in ["rsa", "p256", "24 bytes"] {
      let decrypter = TokenDecrypter(keys: try DecryptionKeys([Scene.jwk(name)]), policy: Scene.policy)
      let decrypted = try decrypter.decrypt(json: message)
      #expect(decrypted.plaintext == Scene.plaintext && decrypted.additionalData == [9])
      #expect(decrypted.header.keyID == name && decrypted.header.type == "example")
      #expect(decrypted.header.members == ["enc": "A128GCM", "typ": "example", "cty": "text/plain"])
      #expect(decrypted.unprotected["note"] == 1 && decrypted.unprotected["kid"] == .string(name))
    }
    let stranger = TokenDecrypter(keys: try DecryptionKeys([Scene.jwk("p384")]), policy: Scene.policy)
    #expect(Self.refusal(message, by: stranger) == .unknownKey)
    var policy = Scene.policy
    policy.algorithms = [.A192GCMKW]
    let narrow = TokenDecrypter(keys: Scene.decrypter.keys, policy: policy)
    #expect(try narrow.decrypt(json: message).header.keyID == "24 bytes")
  }

  @Test func `is decrypted although a recipient before one's own is odd`() throws {
    var message = try Self.general()
    var recipients = try #require(message["recipients"]?.array)
    recipients.insert(
      contentsOf: [
        ["header": ["alg": "RSA1_5", "kid": "rsa"], "encrypted_key": "AAAA"], ["encrypted_key": "AAAA"],
        ["header": ["alg": "A128KW", "kid": "16 bytes"], "encrypted_key": "!"],
        ["header": ["alg": "ECDH-ES+A128KW", "kid": "p521", "epk": "x"], "encrypted_key": "AAAA"],
        ["header": ["alg": "A128KW", "kid": "16 bytes"], "encrypted_key": .string(Base64URL.encode(0..<24))],
      ], at: 0)
    message["recipients"] = .array(recipients)
    #expect(try Scene.decrypter.decrypt(json: message.serialized()).header.keyID == "rsa")
    // If several things are wrong, the error is that of a decryption that was attempted.
    message["recipients"] = .array(Array(recipients.prefix(5)))
    #expect(Self.refusal(message) == .decryptionFailed)
    message["recipients"] = .array(Array(recipients.prefix(2)))
    #expect(Self.refusal(message) == .algorithmRefused)
  }

  // MARK: Changed messages

  @Test func `is not decrypted after any part of it was changed`() throws {
    let message = try Scene.encrypter("p256", .ECDHESA128KW, .A128GCM)
      .encryptJSON(Scene.plaintext, additionalData: [1, 2, 3])
    #expect(Self.refusal(message) == nil)
    for name in ["encrypted_key", "iv", "ciphertext", "tag", "aad"] {
      var bytes = try Base64URL.decode(message[name]?.string ?? "")
      bytes[0] ^= 1
      #expect(Self.refusal(Self.changing(message, name, .string(Base64URL.encode(bytes)))) == .decryptionFailed)
    }
    #expect(Self.refusal(Self.changing(message, "aad", nil)) == .decryptionFailed)
    #expect(try Self.refusal(Self.protecting(message) { $0["note"] = 1 }) == .decryptionFailed)
    #expect(try Self.refusal(Self.changing(Self.flattened(), "aad", "AAAA")) == .decryptionFailed)
    // Unprotected members may be changed, without further effect.
    let changed = try Scene.decrypter.decrypt(
      json: Self.changing(message, "unprotected", ["note": 2]).serialized())
    #expect(changed.unprotected == ["note": 2])
  }

  @Test func `is refused for what its compact form is refused for`() throws {
    let message = try Self.flattened()
    func refusal(_ change: (inout JSONObject) -> Void) throws -> AuthError.Code? {
      Self.refusal(try Self.protecting(message, change))
    }
    #expect(try refusal { $0["crit"] = ["exp"] } == .criticalHeader)
    #expect(try refusal { $0["zip"] = "DEF" } == .compressionRefused)
    #expect(try refusal { $0["alg"] = nil } == .algorithmRefused)
    #expect(try refusal { $0["alg"] = "RSA1_5" } == .algorithmRefused)
    #expect(try refusal { $0["enc"] = nil } == .algorithmRefused)
    #expect(try refusal { $0["kid"] = "other" } == .unknownKey)
    #expect(try refusal { $0["kid"] = "32 bytes" } == .algorithmRefused)
    #expect(try refusal { $0["kid"] = 7 } == .headerInvalid)
    for (name, wrong) in [("iv", "AAAA"), ("tag", "AAAA"), ("encrypted_key", "AAAA"), ("iv", ""), ("tag", "")] {
      #expect(Self.refusal(Self.changing(message, name, .string(wrong))) == .tokenMalformed)
      #expect(Self.refusal(Self.changing(message, name, nil)) == .tokenMalformed)
    }
    for name in ["iv", "tag", "encrypted_key", "ciphertext", "protected"] {
      let text = String(message[name]?.string?.dropLast() ?? "") + "="
      #expect(Self.refusal(Self.changing(message, name, .string(text))) == .base64Malformed, "\(name)")
    }
    var policy = Scene.policy
    policy.requiresKeyID = true
    let nameless = try TokenEncrypter(JWK(Scene.jwk("16 bytes").key), algorithm: .A128KW).encryptJSON([1])
    #expect(Self.refusal(nameless) == nil)
    #expect(Self.refusal(nameless, by: TokenDecrypter(keys: Scene.decrypter.keys, policy: policy)) == .unknownKey)
  }

  // MARK: Structure

  @Test func `is refused unless it has the members that it must have, of the right kind`() throws {
    let message = try Self.flattened()
    for name in ["iv", "tag", "encrypted_key", "ciphertext", "aad"] {
      for value in [1, .null, ["AAAA"], ["a": 1], true] as [JSONValue] {
        #expect(Self.refusal(Self.changing(message, name, value)) == .tokenMalformed, "\(name) \(value)")
      }
    }
    #expect(Self.refusal(Self.changing(message, "ciphertext", nil)) == .tokenMalformed)
    for value in [nil, ""] as [JSONValue?] {
      #expect(Self.refusal(Self.changing(message, "protected", value)) == .headerInvalid)
    }
    #expect(Self.refusal(Self.changing(message, "protected", 1)) == .tokenMalformed)
    for name in ["unprotected", "header"] {
      for value in ["e30", 1, .null, []] as [JSONValue] {
        #expect(Self.refusal(Self.changing(message, name, value)) == .headerInvalid, "\(name) \(value)")
      }
      #expect(Self.refusal(Self.changing(message, name, [:])) == nil)
    }
    for name in ["aad", "encrypted_key"] {
      #expect(Self.refusal(Self.changing(message, name, "")) == .tokenMalformed)
    }
    // RFC 7516 §7.2: members that are not understood are ignored.
    #expect(Self.refusal(Self.changing(message, "more", 1)) == nil)
    for text in ["", "[]", "1", "{}x", "\u{FEFF}{}", "null"] { #expect(Self.refusal(text.utf8) == .jsonMalformed) }
    let twice = String(decoding: message.serialized(), as: UTF8.self).dropLast() + #","tag":"AAAA"}"#
    #expect(Self.refusal(twice.utf8) == .jsonDuplicateMember)
    let escaped = String(decoding: message.serialized(), as: UTF8.self).dropLast() + #","\u0074ag":"AAAA"}"#
    #expect(Self.refusal(escaped.utf8) == .jsonDuplicateMember)
    #expect(try Self.refusal(Scene.message().utf8) == .jsonMalformed)
  }

  @Test func `is refused if it mixes both forms, or has too few or too many recipients`() throws {
    let message = try Self.general()
    let recipients = try #require(message["recipients"]?.array)
    #expect(Self.refusal(Self.changing(message, "header", [:])) == .tokenMalformed)
    #expect(Self.refusal(Self.changing(message, "encrypted_key", "AAAA")) == .tokenMalformed)
    for value in [[], [:], "x", .null, [1], ["x"], [[]]] as [JSONValue] {
      #expect(Self.refusal(Self.changing(message, "recipients", value)) == .tokenMalformed, "\(value)")
    }
    let odd: JSONValue = ["header": ["alg": "x"]]
    func count(_ count: Int) -> AuthError.Code? {
      let all = Array(repeating: odd, count: count - 1) + [recipients[2]]
      return Self.refusal(Self.changing(message, "recipients", .array(all)))
    }
    #expect(count(16) == nil)
    #expect(count(17) == .tokenMalformed)
  }

  @Test func `is refused if a name is in two parts of the header`() throws {
    let message = try Self.general()
    var recipients = try #require(message["recipients"]?.array)
    for (name, value) in [("note", 1), ("typ", "example"), ("cty", "text/plain")] as [(String, JSONValue)] {
      // Also in the header of another recipient.
      for index in recipients.indices {
        var changed = recipients
        var header = changed[index]["header"]?.object ?? [:]
        header[name] = value
        changed[index] = ["header": .object(header), "encrypted_key": recipients[index]["encrypted_key"] ?? ""]
        let code = Self.refusal(Self.changing(message, "recipients", .array(changed)))
        #expect(code == .headerInvalid, "\(name)")
      }
    }
    for name in ["alg", "enc", "kid", "typ"] {
      let shared = Self.changing(message, "unprotected", .object([name: "x"]))
      #expect(Self.refusal(shared) == .headerInvalid, "\(name)")
    }
    let flattened = try Self.flattened()
    for (part, name) in [("unprotected", "alg"), ("header", "alg"), ("header", "kid"), ("unprotected", "enc")] {
      let value = try JSONObject(parsing: Base64URL.decode(flattened["protected"]?.string ?? ""))[name]
      #expect(Self.refusal(Self.changing(flattened, part, .object([name: value ?? .null]))) == .headerInvalid)
    }
    recipients = []
    let both = Self.changing(Self.changing(flattened, "unprotected", ["a": 1]), "header", ["a": 1])
    #expect(Self.refusal(both) == .headerInvalid)
  }

  @Test(arguments: ["enc", "crit", "zip", "b64"], ["unprotected", "header"])
  func `is refused if what changes the message is not protected`(name: String, part: String) throws {
    var message = try Self.flattened()
    if name == "enc" { message = try Self.protecting(message) { $0["enc"] = nil } }
    let changed = Self.changing(message, part, .object([name: name == "enc" ? "A128GCM" : "DEF"]))
    #expect(Self.refusal(changed) == .headerInvalid)
  }

  @Test func `is refused if one of several recipients has a key that was not drawn for it`() throws {
    // Correct for one recipient, but the same key for two.
    for (name, algorithm) in [("16 bytes", JWEAlgorithm.dir), ("p256", .ECDHES)] {
      let one = try TokenEncrypter.encryptJSON(
        Scene.plaintext, to: [Scene.encrypter(name, algorithm, .A128GCM)])
      #expect(Self.refusal(one) == nil)
      let recipients = try #require(one["recipients"]?.array)
      let two = Self.changing(one, "recipients", .array(recipients + [["header": ["alg": "A128KW", "kid": "x"]]]))
      #expect(Self.refusal(two) == .headerInvalid)
    }
  }

  @Test func `is refused if it is too large`() throws {
    let message = try Self.flattened()
    var policy = Scene.policy
    policy.limits.token = message.serialized().count
    #expect(Self.refusal(message, by: TokenDecrypter(keys: Scene.decrypter.keys, policy: policy)) == nil)
    policy.limits.token -= 1
    #expect(Self.refusal(message, by: TokenDecrypter(keys: Scene.decrypter.keys, policy: policy)) == .tokenTooLarge)
    #expect(
      Self.refusal(Self.changing(message, "protected", .string(String(repeating: "A", count: 4097)))) == .tokenTooLarge)
  }

  // MARK: Encryption

  @Test func `is not made as our decrypter would refuse it`() throws {
    let encrypter = try Scene.encrypter("16 bytes", .A128KW, .A128GCM)
    for name in ["alg", "enc", "kid", "typ", "cty", "epk", "apu", "apv", "iv", "tag", "crit", "zip", "b64"] {
      let unprotected = JSONObject([name: "x"])
      let codes = [
        TestSupport.refusal { try encrypter.encryptJSON([1], unprotected: unprotected) },
        TestSupport.refusal {
          try TokenEncrypter.encryptJSON([1], to: [encrypter], unprotected: unprotected)
        },
      ]
      #expect(codes == [.invalidArgument, .invalidArgument], "\(name)")
    }
    let other = try Scene.encrypter("16 bytes", .A128KW, .A256GCM)
    let direct = try Scene.encrypter("16 bytes", .dir, .A128GCM)
    let agreed = try Scene.encrypter("p256", .ECDHES, .A128GCM)
    let many = Array(repeating: encrypter, count: 17)
    for receivers in [[], many, [encrypter, other], [encrypter, direct], [agreed, encrypter]] {
      let code = TestSupport.refusal { try TokenEncrypter.encryptJSON([1], to: receivers) }
      #expect(code == .invalidArgument)
    }
    #expect(try Self.refusal(TokenEncrypter.encryptJSON([1], to: Array(many.dropLast()))) == nil)
  }
}
