public import GatehouseJOSE

/// A token, what it was made of, and what verifies it.
public struct TokenSample: Sendable {
  public let algorithm: SampleAlgorithm
  public let rawKey: RawKey
  public let claims: JSONObject
  public let signer: TokenSigner
  public let verifier: TokenVerifier
  public let token: String

  /// A token that was made at a moment, in seconds since 1970, and lives for a day.
  public init(_ algorithm: SampleAlgorithm, at now: Int64) throws {
    self.algorithm = algorithm
    rawKey = try RawKey(algorithm)
    claims = FirebaseClaims.made(at: now)
    let key: JWK
    if algorithm == .HS256 {
      key = try JWK(.symmetric(SecretKey(rawKey.secret)), keyID: FirebaseClaims.keyID, algorithm: algorithm.jws)
      verifier = try TokenVerifier(keys: JWKSet([key]), policy: Self.policy(algorithm))
    } else {
      key = try JWK(
        .privateKey(PrivateKey(pem: rawKey.privatePEM)), keyID: FirebaseClaims.keyID, algorithm: algorithm.jws)
      let published = try JWK(
        .publicKey(PublicKey(pem: rawKey.publicPEM)), keyID: FirebaseClaims.keyID, algorithm: algorithm.jws)
      verifier = try TokenVerifier(keys: JWKSet([published]), policy: Self.policy(algorithm))
    }
    signer = try TokenSigner(key)
    token = try signer.sign(claims)
  }

  /// What Firebase asks of an ID token, in this algorithm.
  public static func policy(_ algorithm: SampleAlgorithm) -> VerificationPolicy {
    .firebaseIDToken(project: FirebaseClaims.project, algorithms: [algorithm.jws])
  }

  /// Header and payload as they are signed.
  public var signedBytes: [UInt8] {
    let bytes = Array(token.utf8)
    let end = bytes.lastIndex(of: UInt8(ascii: ".")) ?? 0
    return Array(bytes[..<end])
  }

  /// OpenSSL in a loop over the same bytes with the same key, for the calling thread.
  public func raw() throws -> RawContext { try RawContext(rawKey, message: signedBytes) }

  /// Verifies the token `count` times: structure, header, signature, every claim by the system's clock; no cache.
  public func verify(_ count: Int) throws {
    for _ in 0..<count { _ = try verifier.verify(token) }
  }

  /// Signs the claims `count` times.
  public func sign(_ count: Int) throws {
    for _ in 0..<count { _ = try signer.sign(claims) }
  }
}
