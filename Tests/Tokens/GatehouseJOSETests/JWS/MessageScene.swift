import GatehouseJOSE
import TestSupport
import Testing

/// Messages signed with the scene's keys, in the form that a test needs.
enum MessageScene {
  static let keys = TokenScene.keys
  static let verifier = JWSVerifier(keys: keys, algorithms: [.RS256, .ES256, .EdDSA])
  static let payload = Array("{\"a\":\u{E9}}\0".utf8)

  static let signers = TokenScene.made {
    [
      try TokenSigner(key: TokenScene.rsa, keyID: "rsa"), try TokenSigner(key: TokenScene.p256, keyID: "p256"),
      try TokenSigner(key: TokenScene.ed25519, keyID: "ed25519"),
    ]
  }

  /// A message with three signatures.
  static func general() throws -> JSONObject { try TokenSigner.signJSON(message: payload, by: signers) }

  static func flat() throws -> JSONObject { try signers[1].signJSON(message: payload) }

  /// The error with which a verifier rejects a JSON message; `nil` if it accepts the message.
  static func refusal(
    _ message: JSONObject, beside payload: [UInt8]? = nil, _ rule: SignatureRule = .all,
    by verifier: JWSVerifier = verifier
  ) -> AuthError.Code? {
    TestSupport.refusal {
      try verifier.verify(json: message.serialized(), detachedPayload: payload, requiring: rule)
    }
  }

  /// The error with which a verifier rejects a compact message; `nil` if it accepts the message.
  static func refusal(_ message: String, by verifier: JWSVerifier = verifier) -> AuthError.Code? {
    TestSupport.refusal { try verifier.verify(message) }
  }
}

extension JSONObject {
  /// The object with one member replaced or removed.
  func with(_ name: String, _ value: JSONValue?) -> JSONObject {
    var changed = self
    changed[name] = value
    return changed
  }
}
