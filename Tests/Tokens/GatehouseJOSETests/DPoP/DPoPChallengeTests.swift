import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Responses to rejected requests (RFC 9449 §7.1 and §9).
struct `An answer to a refused proof` {
  private static let verifier = DPoPVerifier(algorithms: [.ES256, .EdDSA], replays: MemoryReplayStore())

  @Test func `says what was refused`() throws {
    let plain = try Self.verifier.challenge()
    #expect(plain.wwwAuthenticate == #"DPoP algs="ES256 EdDSA""#)
    let proof = try #require(try Self.verifier.challenge(refusingProof: AuthError(.signatureInvalid, "why")))
    #expect(
      proof.wwwAuthenticate
        == #"DPoP error="invalid_dpop_proof", error_description="The DPoP proof is invalid", algs="ES256 EdDSA""#)
    let token = try #require(try Self.verifier.challenge(refusingToken: AuthError(.tokenExpired, "why"), realm: "shop"))
    #expect(
      token.wwwAuthenticate
        == #"DPoP realm="shop", error="invalid_token", "#
        + #"error_description="The access token is invalid, expired or revoked", algs="ES256 EdDSA""#)
    #expect(
      token.body == ["error": "invalid_token", "error_description": "The access token is invalid, expired or revoked"])
    #expect(DPoPChallenge(algorithms: []).wwwAuthenticate == "DPoP")
    for challenge in [plain, proof, token] {
      #expect(challenge.nonce == nil)
      #expect(challenge.headers.fields.map(\.name) == ["WWW-Authenticate", "Cache-Control"])
    }
  }

  @Test func `has the nonce that the next proof needs`() async throws {
    var verifier = Self.verifier
    verifier.nonces = try .generate()
    verifier.clocks = FixedClocks()
    let signer = try DPoPProofSigner(key: TokenScene.p256, clocks: FixedClocks())
    let request = ProofScene.request
    let first = try signer.proof(method: request.method, uri: request.uri)
    let refused = await #expect(throws: AuthError.self) { try await verifier.verify(first, for: request) }
    let error = try #require(refused)
    let challenge = try #require(try verifier.challenge(refusingProof: error))
    #expect(challenge.reason == .nonceRequired)
    #expect(
      challenge.wwwAuthenticate
        == #"DPoP error="use_dpop_nonce", error_description="The DPoP proof needs the nonce in DPoP-Nonce", "#
        + #"algs="ES256 EdDSA""#)
    #expect(challenge.body["error"] == "use_dpop_nonce")
    let nonce = try #require(challenge.headers["dpop-nonce"])
    _ = try await verifier.verify(signer.proof(method: request.method, uri: request.uri, nonce: nonce), for: request)
  }

  @Test func `is not given for what is no fault of the sender's`() throws {
    for code in [
      .replayStoreFull, .replayShareFull, .keysUnavailable, .cancelled, .cryptoFailed, .internalError, .keySetInvalid,
      .invalidArgument, AuthError.Code(number: 20_000),
    ] as [AuthError.Code] {
      #expect(try Self.verifier.challenge(refusingProof: AuthError(code, "")) == nil, "\(code)")
      #expect(try Self.verifier.challenge(refusingToken: AuthError(code, "")) == nil, "\(code)")
    }
  }

  /// Every rejection in the tests of proofs has a response.
  @Test func `is given for whatever is wrong with a proof`() async throws {
    var wrong = ProofScene.request
    wrong.method = "GET"
    for (proof, request) in [
      ("", ProofScene.request), ("a.b.c", ProofScene.request), (try ProofScene.proof(), wrong),
      (try ProofScene.proof(["jti": nil]), ProofScene.request), (try ProofScene.proof(["iat": 1]), ProofScene.request),
      (try ProofScene.proof(["iat": 9_000_000_000]), ProofScene.request),
      (try ProofScene.proof(header: ["typ": "JWT"]), ProofScene.request),
      (try ProofScene.proof(header: ["jwk": ["kty": "x"]]), ProofScene.request),
      (try ProofScene.proof(header: ["jwk": 1]), ProofScene.request),
      (try ProofScene.proof(header: ["crit": ["x"]]), ProofScene.request),
      (try ProofScene.proof(header: ["alg": "none"]), ProofScene.request),
    ] {
      let refused = await #expect(throws: AuthError.self) {
        try await Self.verifier.verify(proof, for: request, at: ProofScene.now)
      }
      let error = try #require(refused)
      #expect(try Self.verifier.challenge(refusingProof: error)?.reason == .invalidProof)
    }
  }

  private static let hostile = "a\"b\\c\r\nSet-Cookie: x=1\0\u{7F}\u{E9}\u{2028}, error=\"none"

  /// Parses a header field's parameters by RFC 9110 §11.6.1; `nil` for malformed text.
  private static func parameters(_ field: String) -> [String: String]? {
    guard field.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), field.hasPrefix("DPoP") else { return nil }
    var rest = field.dropFirst(4)
    var found: [String: String] = [:]
    while !rest.isEmpty {
      let separator = found.isEmpty ? " " : ", "
      guard rest.hasPrefix(separator) else { return nil }
      rest = rest.dropFirst(separator.count)
      let name = rest.prefix { $0.isLetter || $0 == "_" }
      rest = rest.dropFirst(name.count)
      guard !name.isEmpty, rest.hasPrefix("=\""), found[String(name)] == nil else { return nil }
      rest = rest.dropFirst(2)
      var value = ""
      while let next = rest.popFirst(), next != "\"" {
        guard let character = next == "\\" ? rest.popFirst() : next else { return nil }
        value.append(character)
        guard !rest.isEmpty else { return nil }
      }
      found[String(name)] = value
    }
    return found
  }

  @Test func `is one well-formed header field, whatever it is made of`() throws {
    let challenge = DPoPChallenge(.invalidToken, description: Self.hostile, algorithms: [.ES256], realm: Self.hostile)
    let parameters = try #require(Self.parameters(challenge.wwwAuthenticate))
    #expect(Set(parameters.keys) == ["realm", "error", "error_description", "algs"])
    #expect(parameters["realm"] == #"a"b\c??Set-Cookie: x=1???????, error="none"#)
    // RFC 6750 §3: neither quotes nor backslashes are allowed.
    #expect(parameters["error_description"] == "a?b?c??Set-Cookie: x=1???????, error=?none")
    #expect(!challenge.wwwAuthenticate.contains(#"error_description="a\"#))
    #expect(parameters["error"] == "invalid_token")
    #expect(parameters["algs"] == "ES256")
    #expect(challenge.body["error_description"] == "a?b?c??Set-Cookie: x=1???????, error=?none")
    // Text that ends with a backslash does not escape the closing quote.
    for text in ["\\", "\"", "\\\"", ""] {
      let challenge = DPoPChallenge(.invalidProof, description: text, algorithms: [.ES256], realm: text)
      let parameters = try #require(Self.parameters(challenge.wwwAuthenticate), "\(challenge.wwwAuthenticate)")
      #expect(parameters["realm"] == text)
      #expect(parameters["algs"] == "ES256")
    }
  }

  @Test func `has nothing of the error's message, which may hold a secret`() throws {
    let error = AuthError(.proofMismatch, "s3cr3t" + Self.hostile)
    for challenge in [
      try Self.verifier.challenge(refusingProof: error), try Self.verifier.challenge(refusingToken: error),
    ] {
      let challenge = try #require(challenge)
      let text =
        "\(challenge.headers.fields)" + String(decoding: JSONValue.object(challenge.body).serialized(), as: UTF8.self)
      #expect(!text.contains("s3cr3t") && !text.contains("Set-Cookie"))
      #expect(Self.parameters(challenge.wwwAuthenticate) != nil)
    }
  }
}
