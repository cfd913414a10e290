import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `A token that brings its certificate (group 11)` {
  @Test func `is verified under a root that was pinned`() throws {
    let token = try CertifiedScene.verifier().verify(CertifiedScene.token(["kid": "any"]), at: CertifiedScene.now)
    #expect(token.issuer == "me" && token.header.keyID == "any")
    let whole = try CertifiedScene.token(["x5c": CertifiedScene.list(CertifiedScene.leaf, CertifiedScene.root)])
    #expect(try CertifiedScene.refusal(of: whole) == nil)
    // The name may be left open, but only explicitly.
    #expect(try CertifiedScene.refusal(of: whole, by: CertifiedScene.verifier(name: nil)) == nil)
  }

  @Test func `is refused under other roots, and without roots there is no verifier`() throws {
    let other = try X509Certificate(pem: CertificateFixture.root.rawValue)
    #expect(
      try CertifiedScene.refusal(of: CertifiedScene.token(), by: CertifiedScene.verifier(roots: [other]))
        == .certificateUntrusted)
    // A root that the token itself contains is not trusted.
    let whole = try CertifiedScene.token(["x5c": CertifiedScene.list(CertifiedScene.leaf, CertifiedScene.root)])
    #expect(try CertifiedScene.refusal(of: whole, by: CertifiedScene.verifier(roots: [other])) == .certificateUntrusted)
    // Nor can the certificate itself be a root.
    #expect(
      try CertifiedScene.refusal(of: whole, by: CertifiedScene.verifier(roots: [CertifiedScene.leaf]))
        == .certificateUntrusted)
    #expect(
      refusal {
        try CertifiedTokenVerifier(roots: [], name: nil, policy: CertifiedScene.policy)
      } == .invalidArgument)
  }

  @Test func `is refused before and after its certificate's time, also where the policy does not look at times`() throws
  {
    let token = try CertifiedScene.token()
    var policy = CertifiedScene.policy
    policy.checksTime = false
    for policy in [CertifiedScene.policy, policy] {
      let verifier = try CertifiedScene.verifier(policy: policy)
      #expect(try CertifiedScene.refusal(of: token, by: verifier, at: CertifiedScene.leaf.notBefore.wall) == nil)
      for moment in [CertifiedScene.leaf.notBefore.wall - 1, CertifiedScene.leaf.notAfter.wall + 1] {
        #expect(try CertifiedScene.refusal(of: token, by: verifier, at: moment) == .certificateUntrusted)
      }
    }
  }

  @Test func `is refused for another name`() throws {
    for name in ["example", "other.example", "tokens.example.org"] {
      #expect(
        try CertifiedScene.refusal(of: CertifiedScene.token(), by: CertifiedScene.verifier(name: name))
          == .certificateUntrusted)
    }
    #expect(
      try CertifiedScene.refusal(of: CertifiedScene.token(), by: CertifiedScene.verifier(name: ""))
        == .invalidArgument)
  }

  @Test func `is refused with an algorithm that is not for its certificate's key, or not the policy's`() throws {
    let crossed = try CertifiedScene.token(algorithm: .RS256, signedBy: TokenScene.rsa)
    #expect(try CertifiedScene.refusal(of: crossed) == .algorithmRefused)
    var policy = CertifiedScene.policy
    policy.algorithms = [.RS256, .HS256]
    let verifier = try CertifiedScene.verifier(policy: policy)
    #expect(try CertifiedScene.refusal(of: CertifiedScene.token(), by: verifier) == .algorithmRefused)
    // The algorithm is checked before anything of the chain.
    let unwanted = try CertifiedScene.token(["alg": "ES384", "x5c": ["MII"]])
    #expect(try CertifiedScene.refusal(of: unwanted) == .algorithmRefused)
    // The certificate's key as a shared secret: it is public, so anyone could sign.
    let header: JSONObject = ["alg": "HS256", "x5c": CertifiedScene.list(CertifiedScene.leaf)]
    let secret = try SecretKey.generate()
    let forged = try TokenSigner(JWK(.symmetric(secret), algorithm: .HS256)).sign(
      payload: CertifiedScene.claims.serialized(), header: header)
    #expect(try CertifiedScene.refusal(of: forged, by: verifier) == .algorithmRefused)
  }

  @Test func `is refused when somebody else signed it`() throws {
    #expect(
      try CertifiedScene.refusal(of: CertifiedScene.token(signedBy: TokenScene.p256)) == .signatureInvalid)
  }

  @Test func `is refused without certificates, and when the header brings its key in another way`() throws {
    let key = try JWK(.publicKey(CertifiedScene.key.publicKey)).json
    for header in [["x5c": .null], ["x5c": .null, "jwk": key], ["x5c": .null, "x5u": "https://tokens.example"]]
      as [JSONObject]
    {
      #expect(try CertifiedScene.refusal(of: CertifiedScene.token(header)) == .unknownKey)
    }
    for list in [[], "", ["MII"], [1]] as [JSONValue] {
      #expect(try CertifiedScene.refusal(of: CertifiedScene.token(["x5c": list])) == .certificateInvalid)
    }
    // Another key in the header, beside a good chain, is ignored.
    let stranger = try JWK(.publicKey(TokenScene.p256.publicKey)).json
    #expect(try CertifiedScene.refusal(of: CertifiedScene.token(["jwk": stranger])) == nil)
  }

  @Test func `is refused with the fingerprint of another certificate`() throws {
    let own = Base64URL.encode(CertifiedScene.leaf.sha256Fingerprint)
    #expect(try CertifiedScene.refusal(of: CertifiedScene.token(["x5t#S256": .string(own)])) == nil)
    for wrong in [.string(Base64URL.encode(CertifiedScene.root.sha256Fingerprint)), 1, ""] as [JSONValue] {
      #expect(try CertifiedScene.refusal(of: CertifiedScene.token(["x5t#S256": wrong])) == .headerInvalid)
    }
  }

  @Test func `is held to every other rule of the policy`() throws {
    var policy = CertifiedScene.policy
    policy.issuer = "you"
    #expect(
      try CertifiedScene.refusal(of: CertifiedScene.token(), by: CertifiedScene.verifier(policy: policy))
        == .issuerMismatch)
    #expect(try CertifiedScene.refusal(of: CertifiedScene.token(["crit": ["exp"]])) == .criticalHeader)
    #expect(try CertifiedScene.refusal(of: CertifiedScene.token(["typ": "at+jwt"])) == .typeMismatch)
    policy = CertifiedScene.policy
    policy.limits = TokenLimits(token: 300)
    #expect(
      try CertifiedScene.refusal(of: CertifiedScene.token(), by: CertifiedScene.verifier(policy: policy))
        == .tokenTooLarge)
  }

  @Test func `leads to no key where nobody pinned roots`() throws {
    let keys = try JWKSet([JWK(.publicKey(TokenScene.p256.publicKey), keyID: "own")])
    let verifier = TokenVerifier(keys: keys, policy: CertifiedScene.policy)
    #expect(
      TokenScene.refusal(of: try CertifiedScene.token(["kid": "own"]), by: verifier, at: CertifiedScene.now)
        == .signatureInvalid)
    #expect(
      TokenScene.refusal(of: try CertifiedScene.token(["kid": "other"]), by: verifier, at: CertifiedScene.now)
        == .unknownKey)
  }
}
