import GatehouseBase
public import GatehouseJOSE
import IdentityToolkit

extension LocalBackend {
  /// Makes a session cookie from an ID token, like Firebase's servers, for a web server that keeps its users signed in
  /// with a cookie. The cookie has the claims of the ID token, with the issuer
  /// `https://session.firebase.google.com/PROJECT`, and is signed by the keys of `keySet()`.
  /// `VerificationPolicy.firebaseSessionCookie(project:algorithms:leeway:)` verifies it anywhere.
  ///
  /// - Parameters:
  ///   - idToken: an ID token of a sign-in within `LocalOptions.recentSignIn`.
  ///   - lifetime: the lifetime of the cookie, five minutes to fourteen days. Fractions of a second are truncated.
  /// - Throws: `.invalidArgument` for another lifetime; `.invalidUserToken`, `.userTokenExpired`, `.userDisabled` or
  ///   `.userNotFound` for an invalid ID token; `.requiresRecentLogin`; the reason why the folder cannot be used;
  ///   `.closed` after `close()`.
  public func sessionCookie(forIDToken idToken: String, lifetime: Duration) async throws -> String {
    try await withProvider(.administrator("sessionCookie")) { provider throws(AuthError) in
      try provider.cookies.make(of: Secret(idToken), lifetime: lifetime)
    }
  }

  /// Makes a session cookie from an ID token.
  public func sessionCookie(
    forIDToken idToken: String, lifetime: Duration, @_inheritActorContext completion: @escaping Completion<String>
  ) {
    withProvider(.administrator("sessionCookie"), completion: completion) { provider throws(AuthError) in
      try provider.cookies.make(of: Secret(idToken), lifetime: lifetime)
    }
  }

  /// Verifies a session cookie that this provider made.
  ///
  /// - Parameters:
  ///   - cookie: the cookie.
  ///   - checkingRevocation: whether to look up the account as well, and refuse the cookie of an account that is
  ///     deleted or disabled, or of a session that has ended.
  /// - Throws: The errors of a `TokenVerifier`, for example `.tokenExpired`; with `checkingRevocation`,
  ///   `.userNotFound`, `.userDisabled` and `.userTokenExpired`; the reason why the folder cannot be used; `.closed`
  ///   after `close()`.
  public func verifySessionCookie(_ cookie: String, checkingRevocation: Bool = false) async throws -> VerifiedToken {
    try await withProvider(.untraced) { provider throws(AuthError) in
      try provider.cookies.verify(cookie, checkingRevocation: checkingRevocation)
    }
  }

  /// Verifies a session cookie that this provider made.
  public func verifySessionCookie(
    _ cookie: String, checkingRevocation: Bool = false,
    @_inheritActorContext completion: @escaping Completion<VerifiedToken>
  ) {
    withProvider(.untraced, completion: completion) { provider throws(AuthError) in
      try provider.cookies.verify(cookie, checkingRevocation: checkingRevocation)
    }
  }
}
