public import Dispatch
public import Foundation
public import GatehouseBase
import GatehouseCrypto
import GatehouseQueues

/// Verifies proofs of possession with every rule of RFC 9449 §4.3.
///
/// A proof contains its own key and proves that the sender has it. The access token says which key it must be. Each
/// proof is accepted once, within `window`. Usable from any thread.
///
/// Everyone can make valid proofs, with their own keys, and each proof is remembered until it expires. So each call
/// names the client whose share of the replay store the proof counts against. A share for each key would not limit a
/// client.
public struct DPoPVerifier: Sendable {
  /// The accepted algorithms. Those of shared secrets are never accepted.
  public let algorithms: Set<JWSAlgorithm>
  /// The time after its `iat` for which a proof is accepted.
  public var window = Duration.seconds(60)
  /// The time by which the sender's clock may be ahead. Clamped to 0 … `VerificationPolicy.maximumLeeway`.
  public var leeway: Duration {
    get { allowedSkew }
    set { allowedSkew = min(max(newValue, .zero), VerificationPolicy.maximumLeeway) }
  }
  private var allowedSkew = Duration.seconds(5)
  /// The size limits of a proof.
  public var limits = TokenLimits(token: 8 << 10)
  /// Makes the nonces that proofs must contain; `nil`: no nonce is required. A `DPoPRequest` with a `nonce` requires
  /// that one instead.
  public var nonces: DPoPNonces?
  /// The clocks for calls without a moment.
  public var clocks: any Clocks = SystemClocks()
  private let replays: any ReplayStore
  private let completions: Completions

  /// Makes a verifier that accepts each proof once.
  ///
  /// - Parameters:
  ///   - algorithms: the accepted algorithms; symmetric ones are ignored.
  ///   - replays: records the uses. Use one store for all servers, or a proof is accepted once by each.
  ///   - callbackQueue: the queue on which completions without an isolation of their own are called.
  public init(
    algorithms: Set<JWSAlgorithm> = [.ES256, .EdDSA, .Ed25519], replays: any ReplayStore,
    callbackQueue: DispatchQueue = .main
  ) {
    self.algorithms = algorithms.intersection(JWSAlgorithm.asymmetric)
    self.replays = replays
    completions = Completions(on: callbackQueue)
  }

  /// Whether a proof must contain a nonce of `nonces`.
  public var requiresNonce: Bool { nonces != nil }

  /// The current nonce for the header field `DPoP-Nonce`; `nil` without `nonces`. Send it with every response: a client
  /// that has the latest one needs no second request.
  public func nonce() throws -> String? { try nonces?.nonce(at: Date(wall: clocks.wall)) }

  /// Verifies a proof now, and records its use. Uses no queue; see `verify(_:for:share:at:)`.
  @concurrent
  public func verify(
    _ proof: String, for request: DPoPRequest, share: String? = nil
  ) async throws -> DPoPProof {
    try await verify(proof, for: request, share: share, at: clocks.now().wall)
  }

  /// `verify(_:for:share:)` with a completion. It begins on the work queue, in call order, runs in the background, and
  /// calls its completion exactly once.
  public func verify(
    _ proof: String, for request: DPoPRequest, share: String? = nil,
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<DPoPProof, AuthError>) -> Void
  ) {
    completions.deliver(to: completion) { [self] () async throws(AuthError) in
      try await typed { try await verify(proof, for: request, share: share) }
    }
  }

  /// `verify(_:for:share:at:)` with a completion, as `verify(_:for:share:completion:)`.
  public func verify(
    _ proof: String, for request: DPoPRequest, share: String? = nil, at moment: Date,
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<DPoPProof, AuthError>) -> Void
  ) {
    completions.deliver(to: completion) { [self] () async throws(AuthError) in
      try await typed { try await verify(proof, for: request, share: share, at: moment) }
    }
  }

  /// Verifies a proof at a moment, and records its use. Uses no queue.
  ///
  /// Throws `proofMismatch` if the proof is for something else, `proofNonceRequired` if it lacks a nonce of `nonces`,
  /// `tokenReplayed` the second time, the errors of the store, and those of a `TokenVerifier` for an invalid proof. A
  /// rejected proof does not count as used. `challenge(refusingProof:realm:)` makes the response for the client. Throws
  /// `invalidArgument` for a request whose `uri` has no scheme and host: that is the server's fault.
  ///
  /// - Parameters:
  ///   - proof: the header field `DPoP`.
  ///   - request: the request that came with it.
  ///   - share: the client whose share of the replay store the proof counts against, as the server knows it: the
  ///     authenticated client ID, or the address (of IPv6 the first 64 bits). Never text that the client may choose.
  ///     With `nil` it is the user or client of the request's verified access token. Without such a token the proof
  ///     counts only against the whole store, so that one client can fill it.
  ///   - moment: the time of the verification.
  @concurrent
  public func verify(
    _ proof: String, for request: DPoPRequest, share: String? = nil, at moment: Date
  ) async throws -> DPoPProof {
    try await verify(proof, for: request, share: share, at: moment.wall)
  }

  /// Verifies a proof at a moment in seconds since 1970, and records its use.
  @concurrent
  package func verify(
    _ proof: String, for request: DPoPRequest, share: String? = nil, at now: Double
  ) async throws(AuthError) -> DPoPProof {
    // First, because no proof matches such a request, and the client is not to blame.
    guard HTTPTarget.hasOrigin(request.uri) else {
      throw AuthError(
        .invalidArgument,
        "the request's URI has no scheme and host; pass the whole URI, such as https://server.example/path")
    }
    let (verified, times) = try signed(proof)
    try check(times, at: now)
    try check(verified, for: request, at: now)
    guard try await isFirstUse(of: verified, share: share.map { ["share", .string($0)] } ?? request.sender, at: now)
    else {
      throw AuthError(.tokenReplayed, "the proof was already used")
    }
    return verified
  }

  /// Records a proof's use. Returns whether it was the first.
  private func isFirstUse(
    of proof: DPoPProof, share: JSONValue?, at now: Double
  ) async throws(AuthError) -> Bool {
    let name: JSONValue = [.string(proof.thumbprint), .string(proof.tokenID)]
    let digest = try HashAlgorithm.sha256.digest(of: name.serialized())
    let end = Date(wall: proof.issuedAt.wall + window.inSeconds)
    guard let share else { return try await replays.recordFirstUse(of: digest, until: end, at: Date(wall: now)) }
    return try await replays.recordFirstUse(
      of: digest, share: HashAlgorithm.sha256.digest(of: share.serialized()), until: end, at: Date(wall: now))
  }

  /// Verifies a proof's signature with its own key. Returns the proof and its times.
  private func signed(_ proof: String) throws(AuthError) -> (DPoPProof, Times) {
    let text = proof.utf8.span
    let parts = try CompactJWS(text, limits: limits)
    let members = try JSONObject(reading: Base64URL.bytes(of: text.extracting(parts.header)), limits: limits.json)
    let header = try TokenHeader(members)
    try TypeRule.dpopProof.check(header.type)
    try header.refuseExtensions()
    guard let algorithm = JWSAlgorithm(exactly: header.algorithm), algorithms.contains(algorithm) else {
      throw AuthError(.algorithmRefused, "the proof's `alg` is not accepted")
    }
    let jwk = try Self.key(in: members)
    let check = try SignatureCheck(jwk, algorithm)
    let payload = try Base64URL.bytes(of: text.extracting(parts.payload))
    let signature = try Base64URL.bytes(of: text.extracting(parts.signature))
    guard let key = jwk.key.publicKey, try check.isValid(signature.span, for: text.extracting(parts.signed)) else {
      throw AuthError(.signatureInvalid, "signature verification of the proof failed")
    }
    let scanned = try ScannedObject(parsing: payload, limits: limits.json)
    let times = try RegisteredClaims(scanned).times
    guard let tokenID = scanned["jti"]?.string, (1...256).contains(tokenID.utf8.count) else {
      throw AuthError(.claimInvalid, "the proof's `jti` must be a string of 1 to 256 bytes")
    }
    guard let issuedAt = times.issuedAt else { throw AuthError(.claimInvalid, "the proof's `iat` is missing") }
    let proof = DPoPProof(
      key: key, thumbprint: try typed { try jwk.thumbprint() }, tokenID: tokenID, issuedAt: Date(wall: issuedAt),
      claims: scanned.object)
    return (proof, times)
  }

  private static func key(in header: JSONObject) throws(AuthError) -> JWK {
    guard let json = header["jwk"]?.object else { throw AuthError(.headerInvalid, "the proof's `jwk` is missing") }
    guard ["d", "k", "p", "q", "dp", "dq", "qi", "oth"].allSatisfy({ json[$0] == nil }) else {
      throw AuthError(.keyInvalid, "the proof's `jwk` contains private parameters: send the public key only")
    }
    return try typed { try JWK(.object(json)) }
  }

  private func check(_ times: Times, at now: Double) throws(AuthError) {
    try ClaimRules(VerificationPolicy(algorithms: algorithms, leeway: leeway)).check(times, at: now)
    guard let issued = times.issuedAt, now < issued + window.inSeconds else {
      throw AuthError(.tokenExpired, "the proof has expired")
    }
  }

  private func check(_ proof: DPoPProof, for request: DPoPRequest, at now: Double) throws(AuthError) {
    try Self.compare("htm", proof, request.method)
    guard let asked = proof.claims["htu"]?.string, let asked = HTTPTarget(asked), let target = HTTPTarget(request.uri),
      asked == target
    else { throw Self.mismatch("htu") }
    try checkNonce(of: proof, for: request, at: now)
    if let token = request.accessToken {
      try Self.compare("ath", proof, DPoPProof.hash(of: token))
      guard request.boundThumbprint != nil else {
        throw AuthError(.proofMismatch, "the access token is not bound to a key (`cnf.jkt` is missing)")
      }
    }
    if let thumbprint = request.boundThumbprint, !proof.thumbprint.isExactly(thumbprint) {
      throw AuthError(.proofMismatch, "the access token is bound to another key (`cnf.jkt`)")
    }
  }

  private func checkNonce(of proof: DPoPProof, for request: DPoPRequest, at now: Double) throws(AuthError) {
    if let nonce = request.nonce { return try Self.compare("nonce", proof, nonce) }
    guard let nonces else { return }
    guard let nonce = proof.claims["nonce"]?.string, try nonces.accepts(nonce, at: now) else {
      throw AuthError(.proofNonceRequired, "the proof needs a nonce: send it again with the one in `DPoP-Nonce`")
    }
  }

  private static func compare(_ name: String, _ proof: DPoPProof, _ wanted: String) throws(AuthError) {
    guard proof.claims[name]?.string?.isExactly(wanted) == true else { throw mismatch(name) }
  }

  private static func mismatch(_ name: String) -> AuthError {
    AuthError(.proofMismatch, "the proof's `\(name)` does not match this request")
  }
}
