import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// The rules of RFC 9449 §4.3, one at a time: every proof here differs from the good one by one change (group 20).
struct `A proof of possession` {
  private typealias Scene = ProofScene

  @Test func `is accepted when it is for this request, and says who made it`() async throws {
    let verifier = DPoPVerifier(replays: MemoryReplayStore())
    let proof = try await verifier.verify(Scene.proof(), for: Scene.request, at: Scene.now)
    #expect(proof.key == TokenScene.p256.publicKey)
    #expect(try proof.thumbprint == JWK(.publicKey(TokenScene.p256.publicKey)).thumbprint())
    #expect(proof.tokenID == "proof-1")
    #expect(proof.issuedAt == Date(wall: Scene.now))
    #expect(proof.claims == Scene.claims)
  }

  @Test func `is one token, and not two (rules 1 and 2)`() async throws {
    let proof = try Scene.proof()
    for text in [proof + ", " + proof, proof + "," + proof, "", "DPoP " + proof, proof + "."] {
      let code = await Scene.refusal(of: text)
      #expect(code == .tokenMalformed || code == .base64Malformed, "\(text.count) characters")
    }
    let long = try Scene.proof(["x": .string(String(repeating: "x", count: 8 << 10))])
    #expect(await Scene.refusal(of: long) == .tokenTooLarge)
  }

  @Test(arguments: ["jti", "htm", "htu", "iat"])
  func `has every claim, of the right type (rule 3)`(name: String) async throws {
    let wrong = ["jti": AuthError.Code.claimInvalid, "iat": .claimInvalid][name] ?? .proofMismatch
    for value in [nil, .null, true, ["POST"], ""] as [JSONValue?] {
      #expect(try await Scene.refusal(of: Scene.proof([name: value])) == wrong)
    }
    #expect(
      try await Scene.refusal(of: Scene.proof(["jti": .string(String(repeating: "j", count: 257))])) == .claimInvalid)
    #expect(try await Scene.refusal(of: Scene.proof(["jti": .string(String(repeating: "j", count: 256))])) == nil)
    #expect(try await Scene.refusal(of: Scene.proof(["iat": "1700000000"])) == .claimInvalid)
  }

  @Test(arguments: ["JWT", "at+jwt", "dpop", "dpop+jwt ", "", "application/at+jwt", nil])
  func `is of the type dpop+jwt (rule 4)`(type: String?) async throws {
    let proof = try Scene.proof(header: ["typ": type.map(JSONValue.string)])
    #expect(await Scene.refusal(of: proof) == .typeMismatch)
  }

  @Test func `is signed with an algorithm of key pairs that is accepted (rule 5)`() async throws {
    for name in ["none", "", "ES512", "HS256", "RS256", "ES256\u{212A}"] {
      #expect(try await Scene.refusal(of: Scene.proof(header: ["alg": .string(name)])) == .algorithmRefused, "\(name)")
    }
    #expect(try await Scene.refusal(of: Scene.proof(header: ["alg": nil])) == .algorithmRefused)
    #expect(try await Scene.refusal(of: Scene.proof(key: TokenScene.rsa, .RS256)) == .algorithmRefused)
    let rsa = DPoPVerifier(algorithms: [.RS256], replays: MemoryReplayStore())
    #expect(try await Scene.refusal(of: Scene.proof(key: TokenScene.rsa, .RS256), by: rsa) == nil)
    #expect(try await Scene.refusal(of: Scene.proof(), by: rsa) == .algorithmRefused)
    #expect(try await Scene.refusal(of: Scene.proof(key: TokenScene.ed25519, .EdDSA)) == nil)
    // A proof signed with a shared secret that is in its own header.
    let secret = try SecretKey.generate()
    var header = try Scene.header()
    header["alg"] = "HS256"
    header["jwk"] = ["kty": "oct", "k": .string(Base64URL.encode(secret.revealedBytes))]
    let tagged = try TokenSigner(key: secret).sign(payload: Scene.claims.serialized(), header: header)
    let all = DPoPVerifier(algorithms: Set(JWSAlgorithm.allCases), replays: MemoryReplayStore())
    #expect(await Scene.refusal(of: tagged, by: all) == .algorithmRefused)
    #expect(try await Scene.refusal(of: Scene.proof(header: ["alg": "ES256K"]), by: all) == .algorithmRefused)
  }

  @Test func `is signed by the key that it carries (rule 6)`() async throws {
    let other = try JWK(.publicKey(PrivateKey.generate(.p256).publicKey)).json
    #expect(try await Scene.refusal(of: Scene.proof(header: ["jwk": other])) == .signatureInvalid)
    let parts = try Scene.proof().split(separator: ".")
    let changed = try Scene.proof(["jti": "proof-2"]).split(separator: ".")
    #expect(await Scene.refusal(of: "\(parts[0]).\(changed[1]).\(parts[2])") == .signatureInvalid)
    let junk = Base64URL.encode(Array("not JSON".utf8))
    // Nothing is parsed before the signature is known to be valid.
    #expect(await Scene.refusal(of: "\(parts[0]).\(junk).\(parts[2])") == .signatureInvalid)
  }

  @Test func `carries one key, public and sound (rule 7)`() async throws {
    for value in [nil, .null, "key", [], ["kty": "oct"]] as [JSONValue?] {
      let code = try await Scene.refusal(of: Scene.proof(header: ["jwk": value]))
      #expect(code == .headerInvalid || code == .keyInvalid, "\(value ?? "none")")
    }
    let whole = try JWK(.privateKey(TokenScene.p256)).jsonRevealingSecrets()
    #expect(try await Scene.refusal(of: Scene.proof(header: ["jwk": whole])) == .keyInvalid)
    for name in ["d", "k", "p", "q", "dp", "dq", "qi", "oth"] {
      var key = try #require(JWK(.publicKey(TokenScene.p256.publicKey)).json.object)
      key[name] = "AQ"
      #expect(try await Scene.refusal(of: Scene.proof(header: ["jwk": .object(key)])) == .keyInvalid, "\(name)")
    }
    var encryption = try #require(JWK(.publicKey(TokenScene.p256.publicKey)).json.object)
    encryption["use"] = "enc"
    #expect(try await Scene.refusal(of: Scene.proof(header: ["jwk": .object(encryption)])) == .algorithmRefused)
    let other = try JWK(.publicKey(PrivateKey.generate(.p384).publicKey)).json
    #expect(try await Scene.refusal(of: Scene.proof(header: ["jwk": other])) == .algorithmRefused)
    for name in ["crit", "b64"] {
      #expect(try await Scene.refusal(of: Scene.proof(header: [name: ["b64"]])) == .criticalHeader)
    }
    #expect(try await Scene.refusal(of: Scene.proof(header: ["zip": "DEF"])) == .headerInvalid)
  }

  @Test(arguments: ["GET", "post", "POST ", "POS", "POST\0"])
  func `is for this method (rule 8)`(method: String) async throws {
    #expect(try await Scene.refusal(of: Scene.proof(["htm": .string(method)])) == .proofMismatch)
  }

  @Test func `has the nonce that the server asked for (rule 10)`() async throws {
    var request = Scene.request
    request.nonce = "n-1"
    #expect(try await Scene.refusal(of: Scene.proof(), for: request) == nil)
    for value in ["n-2", "", "N-1", 1, nil] as [JSONValue?] {
      #expect(try await Scene.refusal(of: Scene.proof(["nonce": value]), for: request) == .proofMismatch)
    }
    request.nonce = "caf\u{E9}"
    #expect(try await Scene.refusal(of: Scene.proof(["nonce": "caf\u{E9}"]), for: request) == nil)
    #expect(try await Scene.refusal(of: Scene.proof(["nonce": "cafe\u{301}"]), for: request) == .proofMismatch)
  }

  @Test func `was made a short time ago (rule 11)`() async throws {
    let proof = try Scene.proof()
    for (late, code) in [(0, nil), (59.9, nil), (60, .tokenExpired), (.infinity, .tokenExpired)]
      as [(Double, AuthError.Code?)]
    {
      #expect(await Scene.refusal(of: proof, at: Scene.now + late) == code, "\(late) seconds")
    }
    #expect(await Scene.refusal(of: proof, at: Scene.now - 5) == nil)
    #expect(await Scene.refusal(of: proof, at: Scene.now - 5.1) == .tokenNotYetValid)
    #expect(await Scene.refusal(of: proof, at: .nan) == .tokenNotYetValid)
    var verifier = DPoPVerifier(replays: MemoryReplayStore())
    verifier.leeway = .seconds(3600)
    #expect(await Scene.refusal(of: proof, by: verifier, at: Scene.now - 61) == .tokenNotYetValid)
    verifier.window = .zero
    #expect(await Scene.refusal(of: proof, by: verifier) == .tokenExpired)
  }

  @Test func `is over, or not yet good, if it says so itself`() async throws {
    #expect(try await Scene.refusal(of: Scene.proof(["exp": 1_700_000_000]), at: Scene.now + 5) == .tokenExpired)
    #expect(try await Scene.refusal(of: Scene.proof(["nbf": 1_700_000_006])) == .tokenNotYetValid)
    #expect(try await Scene.refusal(of: Scene.proof(["exp": 1_699_999_999])) == .claimInvalid)
    #expect(try await Scene.refusal(of: Scene.proof(["exp": "soon"])) == .claimInvalid)
  }

  @Test func `is for this access token, and by the key that it is bound to (rule 12)`() async throws {
    let thumbprint = try JWK(.publicKey(TokenScene.p256.publicKey)).thumbprint()
    var request = Scene.request
    request.accessToken = Scene.accessToken
    // A token that is not bound to a key: any proof would match it.
    #expect(try await Scene.refusal(of: Scene.proof(), for: request) == .proofMismatch)
    request.boundThumbprint = thumbprint
    #expect(try await Scene.refusal(of: Scene.proof(), for: request) == nil)
    for value in [nil, "", "UkM2", 1] as [JSONValue?] {
      #expect(try await Scene.refusal(of: Scene.proof(["ath": value]), for: request) == .proofMismatch)
    }
    let other = try PrivateKey.generate(.p256)
    #expect(try await Scene.refusal(of: Scene.proof(key: other), for: request) == .proofMismatch)
    request.boundThumbprint = thumbprint.lowercased()
    #expect(try await Scene.refusal(of: Scene.proof(), for: request) == .proofMismatch)
    request.boundThumbprint = thumbprint
    request.accessToken = "another.access.token"
    #expect(try await Scene.refusal(of: Scene.proof(), for: request) == .proofMismatch)
    request.accessToken = nil
    #expect(try await Scene.refusal(of: Scene.proof(["ath": nil], key: other), for: request) == .proofMismatch)
  }

  @Test func `binds to what a verified access token says, and to nothing if that says nothing`() throws {
    let bound = try TokenScene.verifier.verify(TokenScene.signed(TokenScene.claims("cnf", ["jkt": "t"])), at: Scene.now)
    let request = try DPoPRequest(method: "GET", uri: "https://a/", accessToken: "t", verified: bound)
    #expect(request.boundThumbprint == "t")
    for confirmation in [nil, [:], ["jkt": 1], "t", ["x5t#S256": "t"]] as [JSONValue?] {
      let claims = TokenScene.claims("cnf", confirmation)
      let token = try TokenScene.verifier.verify(TokenScene.signed(claims), at: Scene.now)
      #expect(
        refusal {
          try DPoPRequest(method: "GET", uri: "https://a/", accessToken: "t", verified: token)
        } == .proofMismatch)
    }
  }

  @Test func `is not all that is asked of a token that is bound to another key, too`() throws {
    func code(_ confirmation: JSONValue) throws -> AuthError.Code? {
      let token = try TokenScene.verifier.verify(
        TokenScene.signed(TokenScene.claims("cnf", confirmation)), at: Scene.now)
      return refusal {
        try typed { try DPoPRequest(method: "GET", uri: "https://a/", accessToken: "t", verified: token) }
      }
    }
    for name in ["x5t#S256", "jwk", "jwe", "jku"] {
      for value in ["t", .null, [:], 1] as [JSONValue] {
        #expect(try code(.object(JSONObject(["jkt": "t"]).with(name, value))) == .claimInvalid, "\(name): \(value)")
      }
    }
    // A name for the key, and an unknown member.
    #expect(try code(["jkt": "t", "kid": "k", "another": 1]) == nil)
  }

  @Test func `is remembered as long as it is good, however long that is (rule 12)`() async throws {
    var verifier = DPoPVerifier(replays: MemoryReplayStore())
    verifier.window = .seconds(600)
    let proof = try Scene.proof()
    #expect(await Scene.refusal(of: proof, by: verifier) == nil)
    for seconds in [1, 100, 300, 599] as [Double] {
      #expect(await Scene.refusal(of: proof, by: verifier, at: Scene.now + seconds) == .tokenReplayed)
    }
    #expect(await Scene.refusal(of: proof, by: verifier, at: Scene.now + 600) == .tokenExpired)
  }

  @Test func `is good once, with each key, and only if it was good`() async throws {
    let store = MemoryReplayStore()
    let verifier = DPoPVerifier(replays: store)
    var wrong = Scene.request
    wrong.method = "GET"
    #expect(try await Scene.refusal(of: Scene.proof(), for: wrong, by: verifier) == .proofMismatch)
    #expect(store.count == 0)
    #expect(try await Scene.refusal(of: Scene.proof(), by: verifier) == nil)
    // Signed again, with another signature.
    #expect(try await Scene.refusal(of: Scene.proof(), by: verifier, at: Scene.now + 59) == .tokenReplayed)
    #expect(
      try await Scene.refusal(of: Scene.proof(["iat": 1_700_000_010]), by: verifier, at: Scene.now + 20)
        == .tokenReplayed)
    #expect(try await Scene.refusal(of: Scene.proof(key: .generate(.p256)), by: verifier) == nil)
    #expect(try await Scene.refusal(of: Scene.proof(["jti": "caf\u{E9}"]), by: verifier) == nil)
    #expect(try await Scene.refusal(of: Scene.proof(["jti": "cafe\u{301}"]), by: verifier) == nil)
    #expect(store.count == 4)
  }
}
