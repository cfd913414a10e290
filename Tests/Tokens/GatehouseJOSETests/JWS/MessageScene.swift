import GatehouseJOSE
import TestSupport
import Testing

/// Messages that are signed with the scene's keys, in the form that a test asks for.
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

  /// A message of three signatures.
  static func general() throws -> JSONObject { try TokenSigner.signJSON(message: payload, by: signers) }

  static func flat() throws -> JSONObject { try signers[1].signJSON(message: payload) }

  /// Why a verifier refuses a message in JSON; `nil` if it does not.
  static func refusal(
    _ message: JSONObject, beside payload: [UInt8]? = nil, _ rule: SignatureRule = .all,
    by verifier: JWSVerifier = verifier
  ) -> AuthError.Code? {
    TestSupport.refusal { () throws(AuthError) in
      try verifier.verify(json: message.serialized(), detachedPayload: payload, requiring: rule)
    }
  }

  /// Why a verifier refuses a message in compact form; `nil` if it does not.
  static func refusal(_ message: String, by verifier: JWSVerifier = verifier) -> AuthError.Code? {
    TestSupport.refusal { () throws(AuthError) in try verifier.verify(message) }
  }
}

extension JSONObject {
  /// The object with one member replaced, or taken out.
  func with(_ name: String, _ value: JSONValue?) -> JSONObject {
    var changed = self
    changed[name] = value
    return changed
  }
}
