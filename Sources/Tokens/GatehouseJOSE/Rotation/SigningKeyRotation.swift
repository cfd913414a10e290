public import GatehouseBase
import GatehouseQueues

/// Signs with one key after the other, and publishes the keys that verifiers need.
///
///     a key is           from                        it signs    it is published
///     next               `rotate(to:)`, for `lead`   no          yes
///     current            then                        yes         yes
///     retired            the next one signs          no          for `tokenLifetime` and a minute
///
/// So each verifier can have a key before a token of it comes, and until its last token has expired. Times are counted
/// on the boot clock: a wall clock that is set changes nothing. The state is in this object alone: after a restart pass
/// the keys again, and each time begins anew. Any thread, all at once; signing is slow work.
public final class SigningKeyRotation: Sendable {
  /// The time from the publication of a key to its first signature.
  public let lead: Duration
  /// The longest lifetime of a token, from its signature to `exp`.
  public let tokenLifetime: Duration
  private let clocks: any Clocks
  private let state: Lock<SigningKeys>

  /// What the keys do at a moment, by their names.
  public struct Status: Sendable, Hashable {
    /// The key that signs.
    public let current: String
    /// The key that signs next, if there is one.
    public let next: String?
    /// The time until the next key signs.
    public let timeUntilNext: Duration?
    /// The keys that do not sign any more and are still published, the oldest first.
    public let retired: [String]
  }

  /// A rotation. Throws `invalidArgument` for a shared secret, a key without a name, two keys with one name, a negative
  /// `lead`, and a `tokenLifetime` that is not positive.
  ///
  /// - Parameters:
  ///   - current: signs at once.
  ///   - next: signs after `lead`.
  ///   - retired: keys of before, of which tokens may still be in use: published as if they retired now.
  ///   - lead: how long a key is published before it signs: at least as long as verifiers may cache the set, which
  ///     `Cache-Control` says.
  ///   - tokenLifetime: the longest lifetime of a token.
  ///   - clocks: the clocks.
  public init(
    current: TokenSigner, next: TokenSigner? = nil, retired: [JWK] = [], lead: Duration, tokenLifetime: Duration,
    clocks: any Clocks = SystemClocks()
  ) throws(AuthError) {
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

  /// Verifiers take tokens for this long after `exp`, in seconds: the largest leeway of ours.
  private static let margin = VerificationPolicy.maximumLeeway.inSeconds
  static let noPublicKey = AuthError(.invalidArgument, "a shared secret cannot be published")
}

// MARK: Rotating

extension SigningKeyRotation {
  /// Publishes a key now, and signs with it after `lead`.
  ///
  /// Throws `invalidArgument` while the last key does not sign yet, for a shared secret, for a key without a name, and
  /// for one whose name another key has that is published.
  public func rotate(to next: TokenSigner) throws(AuthError) {
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

  /// Signs with a key from now on, and publishes no other: for a private key that has become known.
  ///
  /// Tokens of the other keys are refused as soon as verifiers fetch the set. Throws `invalidArgument` for a shared
  /// secret, and for a key without a name.
  public func replaceAll(with signer: TokenSigner) throws(AuthError) {
    let entry = try SigningKeys.Entry(signer, signsFrom: -.infinity)
    try state.withLock { state throws(AuthError) in try state.replaceAll(with: entry) }
  }

  /// What the keys do now.
  public var status: Status {
    let now = clocks.now().boot
    return state.withLock { state in
      state.prune(at: now)
      return state.status(at: now)
    }
  }

  /// The keys that verifiers need now: the retired ones, the current one and the next one. Publish it whenever it is
  /// asked for: it changes with time.
  public var published: JWKSet {
    get throws(AuthError) {
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
  /// A token with these claims, signed with the current key.
  ///
  /// Throws `claimInvalid` unless the token expires within `tokenLifetime`, by the wall clock: its key would not be
  /// published for so long.
  public func sign(_ claims: JSONObject, type: String? = "JWT") throws(AuthError) -> String {
    try signer(for: claims).sign(claims, type: type)
  }

  /// A token with the claims of a type of one's own, signed with the current key: see
  /// `TokenSigner.sign(_:type:limits:)`.
  @_disfavoredOverload  // A dictionary literal stays a `JSONObject`, which keeps its order.
  public func sign(
    _ claims: some Encodable, type: String? = "JWT", limits: TokenLimits? = nil
  ) throws(AuthError) -> String {
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
