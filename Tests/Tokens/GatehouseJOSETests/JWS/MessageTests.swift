import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Round trips of messages in every form and with every algorithm.
struct `A signed message` {
  private static let forms = [true, false].flatMap { carries in
    [true, false].map { MessageForm(type: "example", carriesPayload: carries, encodesPayload: $0) }
  }
  private static let payloads = ["", "Payload", "$_02", "a b~!", "{\"a\":1}"].map { Array($0.utf8) }

  @Test(arguments: JWSAlgorithm.allCases, forms)
  func `comes back as it was, in compact form and in JSON`(algorithm: JWSAlgorithm, form: MessageForm) throws {
    let (signer, keys) = try SigningKeys.pair(algorithm)
    let verifier = JWSVerifier(keys: keys, algorithms: [algorithm])
    for payload in Self.payloads {
      let beside = form.carriesPayload ? nil : payload
      let compact = try signer.sign(message: payload, as: form)
      let message =
        try beside.map { payload throws(AuthError) in
          try typed { try verifier.verify(compact, detachedPayload: payload) }
        }
        ?? verifier.verify(compact)
      #expect(message.payload == payload)
      #expect(message.header.type == "example")
      #expect(message.header.keyID == "k")
      #expect(message.header["b64"]?.bool == (form.encodesPayload ? nil : false))

      let flat = try signer.signJSON(message: payload, as: form)
      let general = try TokenSigner.signJSON(message: payload, by: [signer], as: form)
      for json in [flat, general] {
        #expect((json["payload"] == nil) != form.carriesPayload)
        let verified = try verifier.verify(json: json.serialized(), detachedPayload: beside)
        #expect(verified.payload == payload)
        #expect(verified.headers.map(\.members) == [message.header.members])
      }
      // One additional byte makes another message.
      let other = MessageForm(type: "example", carriesPayload: false, encodesPayload: form.encodesPayload)
      let detached = try signer.sign(message: payload, as: other)
      #expect(
        refusal { try verifier.verify(detached, detachedPayload: payload + [0]) }
          == .signatureInvalid)
    }
  }

  @Test func `carries any bytes in base64url, and beside it as they are`() throws {
    let bytes = (0...255).map { UInt8($0) } + [0xFF, 0xFE]
    let signer = MessageScene.signers[1]
    #expect(try MessageScene.verifier.verify(signer.sign(message: bytes, as: .usual)).payload == bytes)
    #expect(try MessageScene.verifier.verify(json: signer.signJSON(message: bytes).serialized()).payload == bytes)
    let beside = MessageForm(carriesPayload: false, encodesPayload: false)
    let compact = try signer.sign(message: bytes, as: beside)
    #expect(try MessageScene.verifier.verify(compact, detachedPayload: bytes).payload == bytes)
    let plain = MessageForm(encodesPayload: false)
    #expect(refusal { try signer.signJSON(message: bytes, as: plain) } == .invalidArgument)
    let text = Array("\u{E9}\n\0 \"\u{1F600}.".utf8)
    let json = try signer.signJSON(message: text, as: plain)
    #expect(try MessageScene.verifier.verify(json: json.serialized()).payload == text)
  }

  @Test func `has members that nobody signed, of which only a kid counts`() throws {
    let signer = try TokenSigner(key: TokenScene.p256)
    let keys = ["kid": "p256", "note": "for the reader"] as JSONObject
    let message = try signer.signJSON(message: MessageScene.payload, unprotected: keys)
    let verified = try MessageScene.verifier.verify(json: message.serialized())
    #expect(verified.headers.map(\.keyID) == ["p256"])
    #expect(verified.headers.first?["note"] == nil)
    #expect(verified.headers.first?.members == ["alg": "ES256"])
    for name in ["alg", "crit", "b64", "zip"] {
      #expect(
        refusal { try signer.signJSON(message: [], unprotected: [name: "x"]) }
          == .headerInvalid)
    }
    #expect(
      refusal { try MessageScene.signers[1].signJSON(message: [], unprotected: ["kid": "x"]) }
        == .headerInvalid)
  }

  @Test func `is signed by several, of whom all or one must be known`() throws {
    let message = try MessageScene.general()
    let verified = try MessageScene.verifier.verify(json: message.serialized())
    #expect(verified.payload == MessageScene.payload)
    #expect(verified.headers.map(\.keyID) == ["rsa", "p256", "ed25519"])
    let one = try JWSVerifier(
      keys: JWKSet([#require(TokenScene.keys.keys.dropFirst().first)]), algorithms: [.ES256])
    #expect(MessageScene.refusal(message, by: one) == .algorithmRefused)
    let found = try one.verify(json: message.serialized(), requiring: .one)
    #expect(found.headers.map(\.keyID) == ["p256"])
    #expect(found.payload == MessageScene.payload)
    let none = try JWSVerifier(keys: JWKSet([]), algorithms: [.ES256])
    #expect(MessageScene.refusal(message, .one, by: none) == .algorithmRefused)
  }

  @Test func `has 1 to 16 signatures`() throws {
    let signer = MessageScene.signers[1]
    let most = try TokenSigner.signJSON(message: [1], by: Array(repeating: signer, count: 16))
    #expect(try MessageScene.verifier.verify(json: most.serialized()).headers.count == 16)
    for count in [0, 17] {
      let signers = Array(repeating: signer, count: count)
      #expect(
        refusal { try TokenSigner.signJSON(message: [1], by: signers) } == .invalidArgument)
    }
  }
}
