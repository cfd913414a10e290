import GatehouseJOSE
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.areHere, "there is no folder of vectors: set GATEHOUSE_VECTORS"))
struct `The cookbook's encrypted examples` {
  private func example(_ file: String) throws -> JSONValue {
    try JSONValue(parsing: Vectors.data("jose-cookbook/\(file).json"))
  }

  private func decrypt(_ example: JSONValue) throws(AuthError) -> [UInt8] {
    let key = try JWK(example["input"]?["key"] ?? .null)
    let decrypter = TokenDecrypter(keys: try DecryptionKeys([key]), policy: EncryptionScene.policy)
    return try decrypter.decrypt(example["output"]?["compact"]?.string ?? "").plaintext
  }

  @Test(arguments: [
    "jwe/5_4.key_agreement_with_key_wrapping_using_ecdh-es_and_aes-keywrap_with_aes-gcm",
    "jwe/5_5.key_agreement_using_ecdh-es_with_aes-cbc-hmac-sha2", "jwe/5_6.direct_encryption_using_aes-gcm",
    "jwe/5_8.key_wrap_using_aes-keywrap_with_aes-gcm", "curve25519/ecdh-es",
  ])
  func `are decrypted`(file: String) throws {
    let example = try example(file)
    #expect(try decrypt(example) == Array(example["input"]?["plaintext"]?.string?.utf8 ?? "none".utf8))
  }

  @Test(arguments: [
    // Its key names no algorithm.
    ("jwe/5_1.key_encryption_using_rsa_v15_and_aes-hmac-sha2", AuthError.Code.algorithmRefused),
    ("jwe/5_2.key_encryption_using_rsa-oaep_with_aes-gcm", .keyUnsupported),
    ("jwe/5_7.key_wrap_using_aes-gcm_keywrap_with_aes-cbc-hmac-sha2", .keyUnsupported),
  ])
  func `are refused if their algorithm is weak, or not known here`(file: String, code: AuthError.Code) throws {
    let example = try example(file)
    #expect(refusal { () throws(AuthError) in try decrypt(example) } == code)
  }

  @Test func `are refused if they are compressed`() throws {
    let example = try example("jwe/5_9.compressed_content")
    #expect(refusal { () throws(AuthError) in try decrypt(example) } == .compressionRefused)
  }

  @Test(arguments: [
    "5_10.including_additional_authentication_data", "5_11.protecting_specific_header_fields",
    "5_12.protecting_content_only",
  ])
  func `are refused if they are JSON`(file: String) throws {
    let example = try example("jwe/" + file)
    let keys = try DecryptionKeys([JWK(#require(example["input"]?["key"]))])
    let decrypter = TokenDecrypter(keys: keys, policy: EncryptionScene.policy)
    for form in ["json", "json_flat"] {
      let message = try String(decoding: #require(example["output"]?[form]).serialized(), as: UTF8.self)
      #expect(EncryptionScene.refusal(of: message, by: decrypter) == .tokenMalformed)
    }
  }
}
