public import Gatehouse

// Firebase's completion forms. Each does what the `async` form of the same name does.
extension MultiFactor {
  /// Passes a session for an enrollment.
  @preconcurrency public func session(@_inheritActorContext completion: FirebaseCompletion<MultiFactorSession>?) {
    session(completion: callbacks.passing(to: completion))
  }

  /// Firebase's name for `session(completion:)`.
  @preconcurrency
  public func getSessionWithCompletion(
    @_inheritActorContext _ completion: FirebaseCompletion<MultiFactorSession>?
  ) {
    session(completion: callbacks.passing(to: completion))
  }

  /// Completes an enrollment; the account then has the factor.
  @preconcurrency
  public func enroll(
    with assertion: MultiFactorAssertion, displayName: String?,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    enroll(with: assertion, displayName: displayName, completion: callbacks.passing(to: completion))
  }

  /// Completes an enrollment; the account then has the factor. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func enroll(with assertion: MultiFactorAssertion, displayName: String?) {
    enroll(with: assertion, displayName: displayName, completion: nil)
  }

  /// Removes a factor.
  ///
  /// - Throws: `.multiFactorInfoNotFound`, `.requiresRecentLogin`, …
  public func unenroll(with info: MultiFactorInfo) async throws { try await unenroll(withFactorUID: info.uid) }

  /// Removes a factor.
  @preconcurrency
  public func unenroll(
    with info: MultiFactorInfo,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    unenroll(withFactorUID: info.uid, completion: callbacks.passing(to: completion))
  }

  /// Removes a factor. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func unenroll(with info: MultiFactorInfo) { unenroll(with: info, completion: nil) }

  /// Removes a factor by its identifier.
  @preconcurrency
  public func unenroll(
    withFactorUID factorUID: String,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    unenroll(withFactorUID: factorUID, completion: callbacks.passing(to: completion))
  }

  /// Removes a factor by its identifier. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func unenroll(withFactorUID factorUID: String) { unenroll(withFactorUID: factorUID, completion: nil) }
}

extension MultiFactorResolver {
  /// Completes the sign-in.
  @preconcurrency
  public func resolveSignIn(
    with assertion: MultiFactorAssertion,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>?
  ) {
    resolveSignIn(with: assertion, completion: callbacks.passing(to: completion))
  }

  /// Completes the sign-in. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func resolveSignIn(with assertion: MultiFactorAssertion) { resolveSignIn(with: assertion, completion: nil) }
}

extension TOTPMultiFactorGenerator {
  /// Begins an enrollment, and passes the secret that the user's app needs.
  @preconcurrency
  public static func generateSecret(
    with session: MultiFactorSession,
    @_inheritActorContext completion: FirebaseCompletion<TOTPSecret>?
  ) {
    generateSecret(with: session, completion: session.callbacks.passing(to: completion))
  }
}
