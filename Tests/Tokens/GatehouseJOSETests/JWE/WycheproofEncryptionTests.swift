import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `Wycheproof's encrypted messages` {
  private static func have(_ name: String) -> ConditionTrait {
    .enabled(if: Vectors.has(name), "there is no file \(name): set GATEHOUSE_MORE_VECTORS")
  }

  /// Unsupported algorithms: messages encrypted with them are rejected, valid or not.
  private static let unknown: Set<String> = ["RSA1_5"]

  @Test(
    have("json_web_encryption"), arguments: ["json_web_encryption", "json_web_crypto"].filter(Vectors.has))
  func `are answered as they ask, if their algorithms are known`(file: String) throws {
    var seen: [String: Int] = [:]
    for group in try Vectors.groups(file) {
      let key = try #require(group["private"])
      for test in group["tests"]?.array ?? [] {
        guard let jwe = test["jwe"] else { continue }
        let message = jwe.string ?? String(decoding: jwe.serialized(), as: UTF8.self)
        let id = test["tcId"]?.integer ?? 0
        let algorithms = [key["alg"]?.string, test["enc"]?.string, Self.algorithm(of: message)].compactMap(\.self)
        let isKnown = Self.unknown.isDisjoint(with: algorithms) && test["flags"] != ["CompressedPlaintext"]
        let plaintext = try? Self.plaintext(of: message, key)
        #expect((plaintext != nil) == (isKnown && test["result"] == "valid"), "\(file) \(id)")
        // The older of the two files does not contain the plaintext.
        if let plaintext, file == "json_web_encryption" {
          #expect(plaintext == bytes(hex: test["pt"]?.string ?? "none"), "\(file) \(id)")
        }
        let outcome = plaintext != nil ? "decrypted" : test["result"] == "valid" ? "valid, not known here" : "refused"
        seen[outcome, default: 0] += 1
      }
    }
    #expect(seen == Self.counts[file])
  }

  private static let counts = [
    "json_web_encryption": ["decrypted": 56, "valid, not known here": 9, "refused": 74],
    "json_web_crypto": ["decrypted": 2, "refused": 32],
  ]

  private static func plaintext(of message: String, _ key: JSONValue) throws(AuthError) -> [UInt8] {
    try typed {
      let decrypter = TokenDecrypter(keys: try DecryptionKeys([JWK(key)]), policy: EncryptionScene.policy)
      return try decrypter.decrypt(message).plaintext
    }
  }

  private static func algorithm(of message: String) -> String? {
    guard let header = try? Base64URL.decode(String(message.prefix { $0 != "." })) else { return nil }
    return (try? JSONObject(parsing: header))?["alg"]?.string
  }
}

struct `Wycheproof's key agreements` {
  private static let files = [
    ("ecdh_secp256r1_webcrypto", ["agreed": 330, "refused": 23]),
    ("ecdh_secp384r1_webcrypto", ["agreed": 771, "refused": 23]),
    ("ecdh_secp521r1_webcrypto", ["agreed": 632, "refused": 23]),
    ("x25519_jwk", ["agreed": 487, "refused": 13, "small order": 31]),
  ]

  @Test(
    .enabled(if: files.contains { Vectors.has($0.0) }, "there are no files of ECDH: set GATEHOUSE_MORE_VECTORS"),
    arguments: files.filter { Vectors.has($0.0) })
  func `are answered as they ask`(file: String, counts: [String: Int]) throws {
    var seen: [String: Int] = [:]
    for group in try Vectors.groups(file) {
      for test in group["tests"]?.array ?? [] {
        let secret = try? Self.secret(test)
        // With a point of small order, every key has the same secret: such a point may be rejected, and is.
        let isSmall = test["flags"]?.array?.contains("ZeroSharedSecret") ?? false
        #expect((secret != nil) == (test["result"] != "invalid" && !isSmall), "\(file) \(test["tcId"] ?? .null)")
        if let secret {
          #expect(secret == bytes(hex: test["shared"]?.string ?? ""), "\(file) \(test["tcId"] ?? .null)")
        }
        seen[secret != nil ? "agreed" : isSmall ? "small order" : "refused", default: 0] += 1
      }
    }
    #expect(seen == counts)
  }

  private static func secret(_ test: JSONValue) throws(AuthError) -> [UInt8] {
    let pair = try typed { (try JWK(test["private"] ?? .null).key, try JWK(test["public"] ?? .null).key) }
    guard case (.privateKey(let own), .publicKey(let other)) = pair else {
      throw AuthError(.keyInvalid, "there is no such pair")
    }
    return try own.agree(with: other).revealed
  }
}
