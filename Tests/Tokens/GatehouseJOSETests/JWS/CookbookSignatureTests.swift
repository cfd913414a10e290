import GatehouseJOSE
import TestSupport
import Testing

/// The signed examples of RFC 7520 §4 and of the other parts of the cookbook's folder.
@Suite(.enabled(if: Vectors.areHere, "there is no folder of vectors: set GATEHOUSE_VECTORS"))
struct `The cookbook's signed examples` {
  /// The examples that a strict verifier rejects, and the errors.
  static let refused: [String: AuthError.Code] = [
    // Its algorithm is not signed, like the rest of its header.
    "jws/4_7.protecting_content_only": .headerInvalid,
    // Its `b64` is not marked as critical (RFC 7797 §6), contrary to the file's claim.
    "rfc7797/4.2.hmac-sha2_b64_false": .criticalHeader,
  ]

  private func example(_ file: String) throws -> JSONValue {
    try JSONValue(parsing: Vectors.data("jose-cookbook/\(file).json"))
  }

  private func verifier(_ keys: [JSONValue]) throws -> JWSVerifier {
    let keys = try keys.map { try JWK($0) }.map { $0.publicJWK ?? $0 }
    return try JWSVerifier(keys: JWKSet(keys), algorithms: Set(JWSAlgorithm.allCases))
  }

  @Test(arguments: [
    ("jws/4_1.rsa_v15_signature", 3), ("jws/4_2.rsa-pss_signature", 3), ("jws/4_3.ecdsa_signature", 3),
    ("jws/4_4.hmac-sha2_integrity_protection", 3), ("jws/4_5.signature_with_detached_content", 3),
    ("jws/4_6.protecting_specific_header_fields", 2), ("jws/4_7.protecting_content_only", 2), ("curve25519/jws", 3),
    ("rfc7797/4.2.hmac-sha2_b64_false", 2), ("rfc7797/hmac-sha2_b64_false", 3),
  ])
  func `are accepted in each of their forms, but for those that are listed`(file: String, forms: Int) throws {
    let example = try example(file)
    let payload = Array(try #require(example["input"]?["payload"]?.string).utf8)
    let verifier = try verifier([#require(example["input"]?["key"])])
    let output = try #require(example["output"]?.object)
    #expect(output.count == forms)
    for (name, form) in output.members.map({ ($0.name, $0.value) }) {
      if let compact = form.string {
        let isDetached = compact.contains("..")
        let message =
          isDetached
          ? try verifier.verify(compact, detachedPayload: payload) : try verifier.verify(compact)
        #expect(message.payload == payload, "\(file) \(name)")
      } else {
        let detached = form["payload"] == nil ? payload : nil
        let code = refusal {
          let verified = try verifier.verify(json: form.serialized(), detachedPayload: detached)
          #expect(verified.payload == payload, "\(file) \(name)")
        }
        #expect(code == Self.refused[file], "\(file) \(name)")
      }
    }
  }

  @Test func `are accepted with three signatures, by whoever knows one of the keys (RFC 7520 4.8)`() throws {
    let example = try example("jws/4_8.multiple_signatures")
    let message = try #require(example["output"]?["json"]?.object)
    let keys = try #require(example["input"]?["key"]?.array)
    #expect(keys.count == 3)
    // A shared secret among public keys: no set can contain all three.
    #expect(refusal { try JWKSet(["keys": .array(keys)]) } == .keySetInvalid)
    for (place, key) in keys.enumerated() {
      let verifier = try verifier([key])
      #expect(MessageScene.refusal(message, by: verifier) != nil)
      // No part of the second signature's header is signed, as in 4.7.
      guard place != 1 else {
        #expect(MessageScene.refusal(message, .one, by: verifier) != nil)
        continue
      }
      let verified = try verifier.verify(json: message.serialized(), requiring: .one)
      #expect(verified.headers.count == 1)
      #expect(try verified.payload == Array(#require(example["input"]?["payload"]?.string).utf8))
    }
  }

  @Test(arguments: [
    "jws/4_1.rsa_v15_signature", "jws/4_4.hmac-sha2_integrity_protection", "curve25519/jws",
    "rfc7797/hmac-sha2_b64_false",
  ])
  func `are signed as they are, where a signature has no chance in it`(file: String) throws {
    let example = try example(file)
    let payload = Array(try #require(example["input"]?["payload"]?.string).utf8)
    let signer = try TokenSigner(JWK(#require(example["input"]?["key"])))
    let form = MessageForm(encodesPayload: example["signing"]?["protected"]?["b64"] == nil)
    let compact = try #require(example["output"]?["compact"]?.string)
    if example["signing"]?["protected"]?["kid"] != nil || example["input"]?["key"]?["kid"] == nil {
      #expect(try signer.sign(message: payload, as: form) == compact)
    }
  }
}
