import Foundation
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseTesting
import TestSupport
import Testing

/// The output of `print` and `dump` for values that contain secrets, which must not appear in a log.
struct `A printed value` {
  private static let secret = "s3cr3t-s3cr3t-s3cr3t-s3cr3t-s3cr3t"
  private static let payload = Array(secret.utf8)
  private static let messages = JWSVerifier(keys: TokenScene.keys, algorithms: [.RS256])

  @Test func `of a verified message shows the header and the payload's length`() throws {
    let signer = try TokenSigner(key: TokenScene.rsa, keyID: "rsa")
    let message = try Self.messages.verify(signer.sign(message: Self.payload, as: MessageForm(type: "JOSE")))
    #expect(message.payload == Self.payload && leak(of: Self.secret, in: message) == nil)
    #expect("\(message)" == #"VerifiedMessage(payload: 34 bytes, alg: "RS256", kid: "rsa", typ: "JOSE")"#)
    let json = try signer.signJSON(message: Self.payload).serialized()
    let signatures = try Self.messages.verify(json: json)
    #expect(signatures.payload == Self.payload && leak(of: Self.secret, in: signatures) == nil)
    #expect(
      "\(signatures)"
        == #"VerifiedSignatures(payload: 34 bytes, headers: [TokenHeader(alg: "RS256", kid: "rsa")])"#)
  }

  @Test func `of a decrypted message shows the header and the plaintext's length`() throws {
    let message = try EncryptionScene.encrypter("16 bytes", .A128KW, .A128GCM).encrypt(Self.payload)
    let decrypted = try EncryptionScene.decrypter.decrypt(message)
    #expect(decrypted.plaintext == Self.payload && leak(of: Self.secret, in: decrypted) == nil)
    #expect("\(decrypted)" == #"DecryptedMessage(plaintext: 34 bytes, alg: "A128KW", kid: "16 bytes")"#)
  }

  @Test func `of a policy shows no nonce, and neither do the verifiers that hold it`() async throws {
    var policy = VerificationPolicy(algorithms: [.RS256])
    policy.nonce = Self.secret
    policy.accompanyingCode = Secret(Self.secret)
    #expect(policy.nonce == Self.secret && "\(policy)".contains("RS256"))
    let claims = try TokenScene.signed(
      TokenScene.claims("nonce", .string(Self.secret)).setting("c_hash", to: Self.hash))
    let verifier = TokenVerifier(keys: TokenScene.keys, policy: policy)
    // A verifier keeps prepared state, so it is checked after use.
    _ = try verifier.verify(claims, at: TokenScene.now)
    let cached = try CachedTokenVerifier(verifier, cache: TokenCache())
    _ = try cached.verify(claims, at: Date(wall: TokenScene.now))
    let holders: [Any] = [
      policy, verifier, cached, JWSVerifier(keys: TokenScene.keys, policy: policy),
      NestedTokenVerifier(decrypter: EncryptionScene.decrypter, verifier: verifier),
      ClaimsDecrypter(decrypter: EncryptionScene.decrypter, rules: policy),
      SingleUseTokenVerifier(verifier: verifier, replays: MemoryReplayStore()),
      RemoteTokenVerifier(
        keys: try RemoteKeySet(url: "https://keys.example/jwks", transport: RecordingTransport()), policy: policy),
    ]
    for holder in holders { #expect(leak(of: Self.secret, in: holder) == nil, "\(type(of: holder))") }
  }

  /// The `c_hash` of the secret, for RS256.
  private static var hash: JSONValue {
    .string(Base64URL.encode(TokenScene.made { try HashAlgorithm.sha256.hash(payload) }.prefix(16)))
  }

  @Test func `of what a shared secret makes shows no byte of it`() throws {
    let key = try SecretKey(Self.payload)
    let jwk = try JWK(.symmetric(key), keyID: "shared", algorithm: .HS256)
    let signer = try TokenSigner(jwk)
    let token = try signer.sign(TokenScene.claims)
    let verifier = TokenVerifier(keys: try JWKSet([jwk]), policy: VerificationPolicy(algorithms: [.HS256]))
    _ = try verifier.verify(token, at: TokenScene.now)
    let nonces = try DPoPNonces(key: key)
    _ = try nonces.nonce(at: Date(wall: TokenScene.now))
    var proofs = DPoPVerifier(replays: MemoryReplayStore())
    proofs.nonces = nonces
    let authenticator = try MessageAuthenticator(key: key, hash: .sha256)
    _ = try authenticator.tag(of: Self.payload.span)
    for holder in [key, jwk, signer, verifier, nonces, proofs, authenticator] as [Any] {
      #expect(leak(of: Self.secret, in: holder) == nil, "\(type(of: holder))")
    }
  }

  /// A list of at least eight numbers below 256, as arrays of bytes are printed and dumped.
  private static func bytes(in value: Any) -> String? {
    printed(value).first { text in
      text.contains(#/\[(\d{1,3}, ){7}/#) || text.contains(#/(- \d{1,3}\n\s*){8}/#)
    }
  }

  /// Every type that holds a key, a secret or what was made of one.
  @Test func `of what holds a key shows no bytes, private or public`() throws {
    let revocations = TokenRevocations()
    try revocations.revoke(subject: "the name of a user", before: TokenScene.now)
    for key in [TokenScene.rsa, TokenScene.p256, TokenScene.ed25519] {
      let jwk = try JWK(.privateKey(key), keyID: "the name of the key"), half = try #require(jwk.publicJWK)
      let signer = try TokenSigner(jwk)
      _ = try signer.sign(TokenScene.claims)
      let set = try JWKSet([half])
      let verifier = TokenVerifier(keys: set, policy: VerificationPolicy(algorithms: [signer.algorithm]))
      _ = try verifier.verify(signer.sign(TokenScene.claims), at: TokenScene.now)
      let cached = try CachedTokenVerifier(verifier, cache: TokenCache(), revocations: revocations)
      _ = try cached.verify(signer.sign(TokenScene.claims), at: Date(wall: TokenScene.now))
      let rotation = try SigningKeyRotation(current: signer, lead: .seconds(1), tokenLifetime: .seconds(1))
      let holders: [Any] = [
        cached, cached.cache, revocations, key, key.publicKey, jwk,
        jwk.key, half, half.key, signer, set, verifier, rotation,
        try DPoPProofSigner(key: key), try signer.withHeader(SignatureHeader(includesKey: true)),
      ]
      for holder in holders { #expect(Self.bytes(in: holder) == nil, "\(type(of: holder))") }
    }
    let secret = try SecretKey.generate(), shared = try JWK(.symmetric(secret), keyID: "the name of the key")
    let keys = try DecryptionKeys(EncryptionScene.jwks)
    let decrypter = TokenDecrypter(keys: keys, policy: EncryptionScene.policy)
    let holders: [Any] = [
      secret, shared, try TokenSigner(shared), try JWKSet([shared]), keys, decrypter,
      try EncryptionScene.encrypter("p256", .ECDHES, .A128GCM),
      try EncryptionScene.encrypter("32 bytes", .dir, .A256GCM),
      NestedTokenVerifier(decrypter: decrypter, verifier: TokenScene.verifier), try DPoPNonces(key: secret),
      try MessageSigner(key: TokenScene.p256, algorithm: .ecdsa(.p256)),
      try MessageAuthenticator(key: secret, hash: .sha256),
      try MessageVerifier(key: TokenScene.p256.publicKey, algorithm: .ecdsa(.p256)), CertifiedScene.leaf,
      try CertifiedScene.verifier(), SignatureHeader(certificates: [CertifiedScene.leaf]),
    ]
    for holder in holders { #expect(Self.bytes(in: holder) == nil, "\(type(of: holder))") }
  }

  @Test func `of a proof shows its key's thumbprint and its time, and of a challenge no nonce`() async throws {
    let proof = try ProofScene.proof(["nonce": .string(Self.secret), "jti": .string(Self.secret)])
    var request = ProofScene.request
    request.nonce = Self.secret
    let verified = try await DPoPVerifier(replays: MemoryReplayStore())
      .verify(proof, for: request, at: Date(wall: TokenScene.now))
    #expect(verified.tokenID == Self.secret && leak(of: Self.secret, in: verified) == nil)
    #expect("\(verified)" == "DPoPProof(jkt: \"\(verified.thumbprint)\", iat: 2023-11-14T22:13:20Z)")
    #expect(leak(of: Self.secret, in: request) == nil)

    var verifier = DPoPVerifier(replays: MemoryReplayStore())
    verifier.nonces = try DPoPNonces.generate()
    let challenge = try verifier.challenge(realm: "shop")
    let nonce = try #require(challenge.nonce)
    #expect(challenge.headers["DPoP-Nonce"] == nonce)
    #expect(leak(of: nonce, in: challenge) == nil && leak(of: nonce, in: challenge.headers) == nil)
    #expect("\(challenge)".contains("shop"))
  }
}

extension JSONObject {
  fileprivate func setting(_ name: String, to value: JSONValue) -> JSONObject {
    var copy = self
    copy[name] = value
    return copy
  }
}
