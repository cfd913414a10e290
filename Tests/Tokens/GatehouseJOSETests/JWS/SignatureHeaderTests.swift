import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `A signer's header` {
  private static let signer = TokenScene.made { try TokenSigner(key: CertifiedScene.key, keyID: "k") }

  private static func refusal(_ header: SignatureHeader, of signer: TokenSigner = signer) -> AuthError? {
    do throws(AuthError) {
      _ = try typed { try signer.withHeader(header) }
      return nil
    } catch { return error }
  }

  @Test func `has the certificates of its key, which a verifier under their root accepts`() throws {
    let header = SignatureHeader(certificates: [CertifiedScene.leaf], includesCertificateHash: true)
    let token = try Self.signer.withHeader(header).sign(CertifiedScene.claims)
    let verified = try CertifiedScene.verifier().verify(token, at: CertifiedScene.now)
    #expect(verified.header.members.names == ["alg", "kid", "typ", "x5c", "x5t#S256"])
    #expect(verified.header["x5c"] == CertifiedScene.list(CertifiedScene.leaf))
    #expect(
      verified.header["x5t#S256"] == .string(Base64URL.encode(CertifiedScene.leaf.sha256Fingerprint)))
    // Only the hash, of a certificate that was included with the key.
    let key = try JWK(.privateKey(CertifiedScene.key)).certified(by: [CertifiedScene.leaf])
    let short = try TokenSigner(key).withHeader(SignatureHeader(includesCertificateHash: true))
    #expect(short.headerMembers.names == ["x5t#S256"])
  }

  @Test func `never has the certificate of another key, or too many`() throws {
    #expect(Self.refusal(SignatureHeader(certificates: [CertifiedScene.root]))?.code == .keyInvalid)
    #expect(
      Self.refusal(SignatureHeader(certificates: [CertifiedScene.root, CertifiedScene.leaf]))?.code == .keyInvalid)
    #expect(Self.refusal(SignatureHeader(certificates: [CertifiedScene.leaf, CertifiedScene.root])) == nil)
    let many = Array(repeating: CertifiedScene.leaf, count: 7)
    #expect(Self.refusal(SignatureHeader(certificates: many))?.code == .invalidArgument)
    #expect(Self.refusal(SignatureHeader(includesCertificateHash: true))?.code == .invalidArgument)
  }

  @Test func `has the public part of its key, and nothing else of it`() throws {
    let signer = try TokenSigner(JWK(.privateKey(TokenScene.rsa), keyID: "k", algorithm: .RS256))
      .withHeader(SignatureHeader(includesKey: true))
    let key = try #require(try UnverifiedToken(signer.sign(["sub": "ada"])).header["jwk"]?.object)
    #expect(key.names == ["kty", "n", "e"])
    #expect(try JWK(.object(key)).thumbprint() == JWK(.publicKey(TokenScene.rsa.publicKey)).thumbprint())
  }

  @Test func `shows nothing of a shared secret`() throws {
    let signer = try TokenSigner(key: SecretKey.generate())
    #expect(Self.refusal(SignatureHeader(includesKey: true), of: signer)?.code == .invalidArgument)
    #expect(Self.refusal(SignatureHeader(certificates: [CertifiedScene.leaf]), of: signer)?.code == .invalidArgument)
    #expect(Self.refusal(SignatureHeader(includesCertificateHash: true), of: signer)?.code == .invalidArgument)
    #expect(Self.refusal(SignatureHeader(members: ["a": 1]), of: signer) == nil)
  }

  @Test func `has members of one's own behind its own`() throws {
    let signer = try Self.signer.withHeader(
      SignatureHeader(contentType: "text/plain", members: ["a": ["b": 1], "x5u": "https://example.com/chain"]))
    let expected: JSONObject = [
      "alg": "ES256", "kid": "k", "typ": "JWT", "cty": "text/plain", "a": ["b": 1],
      "x5u": "https://example.com/chain",
    ]
    #expect(try UnverifiedToken(signer.sign(["sub": "ada"])).header.members == expected)
    var other = expected
    other["typ"] = "at+jwt"
    #expect(try UnverifiedToken(signer.sign(["sub": "ada"], type: "at+jwt")).header.members == other)
    // In messages too.
    var bare = expected
    bare["typ"] = nil
    let keys = try JWKSet([JWK(.publicKey(CertifiedScene.key.publicKey), keyID: "k")])
    let verifier = JWSVerifier(keys: keys, algorithms: [.ES256])
    #expect(try verifier.verify(signer.sign(message: [1], as: .usual)).header.members == bare)
    let json = try signer.signJSON(message: [1], unprotected: ["u": 1]).serialized()
    #expect(try verifier.verify(json: json).headers[0].members == bare)
    #expect(
      TestSupport.refusal { try signer.signJSON(message: [1], unprotected: ["a": 1]) }
        == .headerInvalid)
  }

  @Test(arguments: [
    "alg", "kid", "typ", "cty", "crit", "b64", "zip", "jwk", "x5c", "x5t#S256", "enc", "epk", "apu", "apv", "iv", "tag",
    "p2s", "p2c",
  ])
  func `takes no member that it writes itself, or would have to act on`(name: String) {
    let error = Self.refusal(SignatureHeader(members: ["a": 1, name: .string("x")]))
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("`\(name)`") == true)
  }

  @Test func `is refused when our verifiers would refuse it`() throws {
    #expect(
      Self.refusal(SignatureHeader(members: ["a": .string(String(repeating: "x", count: 3100))]))?.code
        == .tokenTooLarge)
    var nest: JSONValue = []
    for _ in 0..<15 { nest = [nest] }
    #expect(Self.refusal(SignatureHeader(members: ["a": nest]))?.code == .jsonTooLarge)
    let name = String(repeating: "n", count: 257)
    #expect(Self.refusal(SignatureHeader(members: [name: 1]))?.code == .jsonTooLarge)
  }

  @Test func `is that of a signer elsewhere, too`() async throws {
    struct Remote: Signer {
      var headerMembers: JSONObject
      var algorithm: JWSAlgorithm { .ES256 }
      var keyID: String? { "k" }
      func signature(of message: [UInt8]) async throws(AuthError) -> [UInt8] {
        try `A signer's header`.signer.signature(of: message)
      }
    }
    let token = try await Remote(headerMembers: ["a": 1]).token(["sub": "ada"])
    #expect(try UnverifiedToken(token).header.members == ["alg": "ES256", "kid": "k", "typ": "JWT", "a": 1])
    for name in ["alg", "kid", "typ", "crit", "b64", "zip"] {
      await #expect(throws: AuthError.self) { try await Remote(headerMembers: [name: "x"]).token(["sub": "ada"]) }
    }
    let local = try Self.signer.withHeader(SignatureHeader(members: ["a": 1]))
    #expect(try UnverifiedToken(await local.token(["sub": "ada"])).header["a"] == 1)
  }
}
