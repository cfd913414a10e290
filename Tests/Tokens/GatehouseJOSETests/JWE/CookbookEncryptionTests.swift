import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.areHere, "there is no folder of vectors: set GATEHOUSE_VECTORS"))
struct `The cookbook's encrypted examples` {
  private func example(_ file: String) throws -> JSONValue {
    try JSONValue(parsing: Vectors.data("jose-cookbook/\(file).json"))
  }

  private func decrypt(_ example: JSONValue) throws(AuthError) -> [UInt8] {
    let key = try typed { try JWK(example["input"]?["key"] ?? .null) }
    let decrypter = TokenDecrypter(keys: try typed { try DecryptionKeys([key]) }, policy: EncryptionScene.policy)
    return try typed { try decrypter.decrypt(example["output"]?["compact"]?.string ?? "").plaintext }
  }

  @Test(arguments: [
    "jwe/5_2.key_encryption_using_rsa-oaep_with_aes-gcm",
    "jwe/5_4.key_agreement_with_key_wrapping_using_ecdh-es_and_aes-keywrap_with_aes-gcm",
    "jwe/5_5.key_agreement_using_ecdh-es_with_aes-cbc-hmac-sha2", "jwe/5_6.direct_encryption_using_aes-gcm",
    "jwe/5_7.key_wrap_using_aes-gcm_keywrap_with_aes-cbc-hmac-sha2",
    "jwe/5_8.key_wrap_using_aes-keywrap_with_aes-gcm", "curve25519/ecdh-es",
  ])
  func `are decrypted`(file: String) throws {
    let example = try example(file)
    #expect(try decrypt(example) == Array(example["input"]?["plaintext"]?.string?.utf8 ?? "none".utf8))
  }

  @Test func `are refused if their algorithm is weak`() throws {
    // The example's key names no algorithm.
    let example = try example("jwe/5_1.key_encryption_using_rsa_v15_and_aes-hmac-sha2")
    #expect(refusal { try decrypt(example) } == .algorithmRefused)
  }

  @Test func `are refused if they are compressed`() throws {
    let example = try example("jwe/5_9.compressed_content")
    #expect(refusal { try decrypt(example) } == .compressionRefused)
  }

  /// The JSON forms that a strict decrypter rejects, and the errors.
  static let refused: [String: AuthError.Code] = [
    "5_1.key_encryption_using_rsa_v15_and_aes-hmac-sha2": .algorithmRefused,
    "5_9.compressed_content": .compressionRefused,
    // Nothing in its header is authenticated, not even the content encryption.
    "5_12.protecting_content_only": .headerInvalid,
  ]

  @Test(arguments: [
    ("5_1.key_encryption_using_rsa_v15_and_aes-hmac-sha2", 2), ("5_2.key_encryption_using_rsa-oaep_with_aes-gcm", 2),
    ("5_4.key_agreement_with_key_wrapping_using_ecdh-es_and_aes-keywrap_with_aes-gcm", 2),
    ("5_5.key_agreement_using_ecdh-es_with_aes-cbc-hmac-sha2", 2), ("5_6.direct_encryption_using_aes-gcm", 2),
    ("5_7.key_wrap_using_aes-gcm_keywrap_with_aes-cbc-hmac-sha2", 2),
    ("5_8.key_wrap_using_aes-keywrap_with_aes-gcm", 2), ("5_9.compressed_content", 2),
    ("5_10.including_additional_authentication_data", 2), ("5_11.protecting_specific_header_fields", 2),
    ("5_12.protecting_content_only", 2),
  ])
  func `are decrypted in each of their JSON forms, but for those that are listed`(file: String, forms: Int) throws {
    let example = try example("jwe/" + file)
    let plaintext = Array(try #require(example["input"]?["plaintext"]?.string).utf8)
    let keys = try DecryptionKeys([JWK(#require(example["input"]?["key"]))])
    let decrypter = TokenDecrypter(keys: keys, policy: EncryptionScene.policy)
    var seen = 0
    for form in ["json", "json_flat"] {
      guard let message = example["output"]?[form] else { continue }
      seen += 1
      let code = refusal {
        let decrypted = try typed { try decrypter.decrypt(json: message.serialized()) }
        #expect(decrypted.plaintext == plaintext, "\(file) \(form)")
        #expect(decrypted.additionalData == Array((example["input"]?["aad"]?.string ?? "").utf8))
      }
      #expect(code == Self.refused[file], "\(file) \(form)")
      // The caller expects a compact message, and this is not one.
      let text = String(decoding: message.serialized(), as: UTF8.self)
      #expect(EncryptionScene.refusal(of: text, by: decrypter) == .tokenMalformed)
    }
    #expect(seen == forms)
  }

  @Test func `are decrypted by each of several recipients whose algorithm is known (RFC 7520 5.13)`() throws {
    let example = try example("jwe/5_13.encrypting_to_multiple_recipients")
    let message = try #require(example["output"]?["json"]).serialized()
    let plaintext = Array(try #require(example["input"]?["plaintext"]?.string).utf8)
    let keys = try #require(example["input"]?["key"]?.array).map { try JWK($0) }
    let codes = try keys.map { key in
      let decrypter = TokenDecrypter(keys: try DecryptionKeys([key]), policy: EncryptionScene.policy)
      return refusal {
        let decrypted = try typed { try decrypter.decrypt(json: message) }
        #expect(decrypted.plaintext == plaintext)
        #expect(decrypted.header.members == ["enc": "A128CBC-HS256"])
        #expect(decrypted.header.keyID == key.keyID)
        #expect(decrypted.unprotected["cty"] == "text/plain" && decrypted.unprotected["kid"] != nil)
      }
    }
    // The first recipient uses RSA1_5.
    #expect(codes == [.algorithmRefused, nil, nil])
    let all = TokenDecrypter(keys: try DecryptionKeys(keys), policy: EncryptionScene.policy)
    #expect(try all.decrypt(json: message).header.keyID == keys[1].keyID)
  }
}
