public import GatehouseBase
import GatehouseQueues

/// Signs with a succession of keys, and publishes the keys that verifiers need.
///
///     a key is           from                        it signs    it is published
///     next               `rotate(to:)`, for `lead`   no          yes
///     current            then                        yes         yes
///     retired            the next one signs          no          for `tokenLifetime` and a minute
///
/// So each verifier can have a key before the first token of the key arrives, and until its last token has expired.
/// Times are measured by the boot clock, so setting the wall clock changes nothing. The state is only in this object:
/// after a restart pass the keys again, and each time begins anew. Usable from any thread; signing is slow work.
public final class SigningKeyRotation: Sendable {
  /// The time from the publication of a key to its first signature.
  public let lead: Duration
  /// The maximum lifetime of a token, from its signature to `exp`.
  public let tokenLifetime: Duration
  private let clocks: any Clocks
  private let state: Lock<SigningKeys>

  /// The roles of the keys at a moment, by key ID.
  public struct Status: Sendable, Hashable {
    /// The key that signs.
    public let current: String
    /// The key that signs next, if there is one.
    public let next: String?
    /// The time until the next key signs.
    public let timeUntilNext: Duration?
    /// The keys that no longer sign but are still published, the oldest first.
    public let retired: [String]
  }

  /// Makes a rotation. Throws `invalidArgument` for a shared secret, a key without an ID, two keys with one ID, a
  /// negative `lead`, and a `tokenLifetime` that is not positive.
  ///
  /// - Parameters:
  ///   - current: the key that signs at once.
  ///   - next: the key that signs after `lead`.
  ///   - retired: earlier keys whose tokens may still be in use. They are published as if they retired now.
  ///   - lead: the time for which a key is published before it signs: at least as long as verifiers may cache the set
  ///     according to `Cache-Control`.
  ///   - tokenLifetime: the maximum lifetime of a token.
  ///   - clocks: the clocks.
  public init(
    current: TokenSigner, next: TokenSigner? = nil, retired: [JWK] = [], lead: Duration, tokenLifetime: Duration,
    clocks: any Clocks = SystemClocks()
  ) throws {
    guard lead >= .zero, tokenLifetime > .zero else {
      throw AuthError(.invalidArgument, "`lead` must not be negative, and `tokenLifetime` must be positive")
    }
    self.lead = lead
    self.tokenLifetime = tokenLifetime
    self.clocks = clocks
    let now = clocks.now().boot
    var keys = SigningKeys(retention: tokenLifetime.inSeconds + Self.margin)
    for key in retired {
      guard let half = key.publicJWK else { throw Self.noPublicKey }
      try keys.add(SigningKeys.Entry(key: half, signer: nil, signsFrom: -.infinity, signsUntil: now))
    }
    try keys.add(SigningKeys.Entry(current, signsFrom: -.infinity))
    if let next { try keys.add(SigningKeys.Entry(next, signsFrom: now + lead.inSeconds)) }
    state = Lock(keys)
  }

  /// The time after `exp` for which verifiers may accept tokens, in seconds: the maximum leeway of Gatehouse's
  /// verifiers.
  private static let margin = VerificationPolicy.maximumLeeway.inSeconds
  static let noPublicKey = AuthError(.invalidArgument, "a shared secret cannot be published")
}

// MARK: Rotating

extension SigningKeyRotation {
  /// Publishes a key now, and signs with it after `lead`.
  ///
  /// Throws `invalidArgument` while the last key does not sign yet, for a shared secret, for a key without an ID, and
  /// for one whose ID another published key has.
  public func rotate(to next: TokenSigner) throws {
    let now = clocks.now().boot
    let entry = try SigningKeys.Entry(next, signsFrom: now + lead.inSeconds)
    try state.withLock { state throws(AuthError) in
      state.prune(at: now)
      guard !state.isRotating(at: now) else {
        throw AuthError(.invalidArgument, "the last key does not sign yet; rotate again when it does")
      }
      try state.add(entry)
    }
  }

  /// Signs with a key from now on, and publishes no other: for a private key that has leaked.
  ///
  /// Tokens of the other keys are rejected as soon as verifiers fetch the set. Throws `invalidArgument` for a shared
  /// secret, and for a key without an ID.
  public func replaceAll(with signer: TokenSigner) throws {
    let entry = try SigningKeys.Entry(signer, signsFrom: -.infinity)
    try state.withLock { state throws(AuthError) in try state.replaceAll(with: entry) }
  }

  /// The current roles of the keys.
  public var status: Status {
    let now = clocks.now().boot
    return state.withLock { state in
      state.prune(at: now)
      return state.status(at: now)
    }
  }

  /// The keys that verifiers need now: the retired ones, the current one and the next one. Read it for every request,
  /// because it changes with time.
  public var published: JWKSet {
    get throws {
      let now = clocks.now().boot
      let keys = state.withLock { state in
        state.prune(at: now)
        return state.entries.map(\.key)
      }
      return try JWKSet(keys)
    }
  }
}

// MARK: Signing

extension SigningKeyRotation {
  /// Signs a token with these claims, with the current key.
  ///
  /// Throws `claimInvalid` unless the token expires within `tokenLifetime`, by the wall clock: its key is not published
  /// for longer.
  public func sign(_ claims: JSONObject, type: String? = "JWT") throws -> String {
    try signer(for: claims).sign(claims, type: type)
  }

  /// Signs a token with the claims of a type of the caller, with the current key: see
  /// `TokenSigner.sign(_:type:limits:)`.
  @_disfavoredOverload  // A dictionary literal stays a `JSONObject`, which keeps its order.
  public func sign(
    _ claims: some Encodable, type: String? = "JWT", limits: TokenLimits? = nil
  ) throws -> String {
    let object = try JSONObject(claims: claims, limits: limits?.json ?? .standard)
    return try signer(for: object).sign(object, type: type, limits: limits)
  }

  private func signer(for claims: JSONObject) throws(AuthError) -> TokenSigner {
    let now = clocks.now()
    guard let expiry = claims["exp"].flatMap(NumericDate.init)?.seconds,
      expiry - now.wall <= tokenLifetime.inSeconds
    else {
      throw AuthError(
        .claimInvalid, "`exp` must be at most \(tokenLifetime) from now: the key is not published for longer")
    }
    guard let signer = state.withLock({ $0.current(at: now.boot) }) else {
      throw AuthError(.unknownKey, "no key signs")
    }
    return signer
  }
}
