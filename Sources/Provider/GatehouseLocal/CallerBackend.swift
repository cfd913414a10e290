public import GatehouseBase
public import IdentityToolkit

/// A provider as one caller sees it: its failures count for that caller, and those of others do not keep it out.
///
/// A value: make one for each request.
public struct CallerBackend: Backend {
  private let provider: LocalBackend
  private let caller: Caller

  init(_ provider: LocalBackend, _ caller: Caller) {
    self.provider = provider
    self.caller = caller
  }

  /// Answers a call of the caller's; as `LocalBackend.answer(_:)`.
  public func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    try await provider.answer(call, from: caller)
  }

  /// As the provider's.
  public var rotatesRefreshTokens: Bool { provider.rotatesRefreshTokens }
}

extension LocalBackend {
  /// The provider as a caller sees it. Any thread; takes no queue.
  public func backend(for caller: Caller) -> CallerBackend { CallerBackend(self, caller) }

  /// Makes the cookie of a device on which a user has signed in. While others guess the password of the account, and
  /// lock it, a sign-in that shows the cookie is let through (`Caller.device`).
  ///
  /// Keep it on the device alone, through sign-outs: it is no credential, and opens nothing without the password. An
  /// account has the twenty that were used last, each for half a year after its last use; a new password, a new
  /// address and a revocation end them.
  ///
  /// - Parameter idToken: an ID token of a sign-in within `LocalOptions.recentSignIn`.
  /// - Throws: `.invalidUserToken`, `.userTokenExpired`, `.userDisabled` or `.userNotFound` for an ID token that is not
  ///   good; `.requiresRecentLogin`; why the folder cannot be used; `.closed` after `close()`.
  public func deviceCookie(forIDToken idToken: String) async throws(AuthError) -> Secret {
    try await withProvider { provider throws(AuthError) in try provider.deviceCookie(of: Secret(idToken)) }
  }

  /// Makes the cookie of a device on which a user has signed in.
  public func deviceCookie(forIDToken idToken: String, @_inheritActorContext completion: @escaping Completion<Secret>) {
    withProvider(completion: completion) { provider throws(AuthError) in
      try provider.deviceCookie(of: Secret(idToken))
    }
  }
}
