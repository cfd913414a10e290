public import GatehouseBase
import GatehouseQueues

/// Verifies tokens with the keys that a server publishes.
///
/// Keep it: it makes keys ready once for all tokens. Any thread, all at once; see `TokenVerifier` for what is refused.
public final class RemoteTokenVerifier: Sendable {
  public let keys: RemoteKeySet
  public let policy: VerificationPolicy
  private let ready = StripedSnapshot<Ready?> { nil }

  public init(keys: RemoteKeySet, policy: VerificationPolicy) {
    self.keys = keys
    self.policy = policy
  }

  /// Verifies a token now, by the policy's clock, with keys that are fresh.
  ///
  /// If its key is not known the keys are fetched anew, subject to their cooldown, and the token is verified once more.
  /// Beside `TokenVerifier`'s codes there are `keysUnavailable`, which says nothing of the token, and `cancelled`.
  public func verify(_ token: String) async throws(AuthError) -> VerifiedToken {
    let snapshot = try await keys.snapshot()
    do {
      return try verifier(for: snapshot).verify(token)
    } catch {
      guard error.code == .unknownKey, let keyID = try UnverifiedToken(token, limits: policy.limits).header.keyID
      else { throw error }
      _ = try await keys.key(named: keyID)
    }
    return try await verifier(for: keys.snapshot()).verify(token)
  }

  /// Verifies a token at a moment, in seconds since 1970, with the keys at hand. Waits for nothing, fetches nothing.
  ///
  /// Throws `keysUnavailable` if no keys are at hand: call `keys.keys()` first.
  public func verifyWithKeysAtHand(_ token: String, at now: Double) throws(AuthError) -> VerifiedToken {
    guard let snapshot = keys.snapshotAtHand(at: keys.clocks.now()) else {
      throw AuthError(.keysUnavailable, "no keys are at hand: they were not fetched yet, or too long ago")
    }
    return try verifier(for: snapshot).verify(token, at: now)
  }

  /// The verifier for a set of keys; made anew when the keys are others than before.
  private func verifier(for snapshot: KeySnapshot) -> TokenVerifier {
    if let ready = ready.value, ready.generation == snapshot.generation { return ready.verifier }
    let verifier = TokenVerifier(keys: snapshot.keys, policy: policy)
    ready.replace { Ready(generation: snapshot.generation, verifier: verifier) }
    return verifier
  }

  /// A class, so that whoever reads it counts references to this object only.
  private final class Ready: Sendable {
    let generation: UInt64
    let verifier: TokenVerifier

    init(generation: UInt64, verifier: TokenVerifier) {
      self.generation = generation
      self.verifier = verifier
    }
  }
}
