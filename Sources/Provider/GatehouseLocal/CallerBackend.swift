public import GatehouseBase
public import IdentityToolkit

/// A provider for one caller: failed sign-ins count for that caller, and other callers' failures do not lock it out.
///
/// This is a value; make one for each request.
public struct CallerBackend: Backend {
  private let provider: LocalBackend
  private let caller: Caller

  init(_ provider: LocalBackend, _ caller: Caller) {
    self.provider = provider
    self.caller = caller
  }

  /// Answers a call of the caller, like `LocalBackend.answer(_:)`.
  public func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    try await provider.answer(call, from: caller)
  }

  /// The provider's value.
  public var rotatesRefreshTokens: Bool { provider.rotatesRefreshTokens }
}

extension LocalBackend {
  /// Returns the provider for a caller. Usable from any thread; does not wait for a queue.
  public func backend(for caller: Caller) -> CallerBackend { CallerBackend(self, caller) }

  /// Makes the cookie of a device on which a user has signed in. If others lock the account by guessing its password, a
  /// sign-in with the cookie is still allowed (`Caller.device`).
  ///
  /// Keep it only on the device, also after sign-outs: it is not a credential, and grants no access without the
  /// password. An account keeps its twenty most recently used devices, each for half a year after its last use; a new
  /// password, a new address and a revocation end them, except the cookie of the call that makes the change.
  ///
  /// - Parameter idToken: an ID token of a sign-in within `LocalOptions.recentSignIn`.
  /// - Throws: `.invalidUserToken`, `.userTokenExpired`, `.userDisabled` or `.userNotFound` for an invalid ID token;
  ///   `.requiresRecentLogin`; the reason why the folder cannot be used; `.closed` after `close()`.
  public func deviceCookie(forIDToken idToken: String) async throws -> Secret {
    try await withProvider(.untraced) { provider throws(AuthError) in
      try provider.signIns.deviceCookie(of: Secret(idToken))
    }
  }

  /// Makes the cookie of a device that sends an older cookie with a sign-in. `nil` if the account knows that one.
  package func deviceCookie(
    forIDToken idToken: String, unlessKnown sent: Secret, from caller: Caller = Caller()
  ) async throws(AuthError) -> Secret? {
    try await withProvider(.untraced, for: caller) { provider throws(AuthError) in
      try provider.signIns.deviceCookie(of: Secret(idToken), unlessKnown: sent)
    }
  }

  /// Makes the cookie of a device on which a user has signed in.
  public func deviceCookie(forIDToken idToken: String, @_inheritActorContext completion: @escaping Completion<Secret>) {
    withProvider(.untraced, completion: completion) { provider throws(AuthError) in
      try provider.signIns.deviceCookie(of: Secret(idToken))
    }
  }
}
