public import GatehouseBase
public import GatehouseJOSE
import IdentityToolkit

extension LocalBackend {
  /// Makes a session cookie of an ID token, as Firebase's servers do: for a web server that keeps its users signed in
  /// by a cookie. It says what the ID token says, under the issuer `https://session.firebase.google.com/PROJECT`, and
  /// is signed by the keys of `keySet()`. `VerificationPolicy.firebaseSessionCookie(project:algorithms:leeway:)`
  /// verifies it anywhere.
  ///
  /// - Parameters:
  ///   - idToken: an ID token of a sign-in within `LocalOptions.recentSignIn`.
  ///   - lifetime: how long the cookie is good: five minutes to fourteen days. Fractions of a second are cut off.
  /// - Throws: `.invalidArgument` for another lifetime; `.invalidUserToken`, `.userTokenExpired`, `.userDisabled` or
  ///   `.userNotFound` for an ID token that is not good; `.requiresRecentLogin`; why the folder cannot be used;
  ///   `.closed` after `close()`.
  public func sessionCookie(forIDToken idToken: String, lifetime: Duration) async throws(AuthError) -> String {
    try await withProvider { provider throws(AuthError) in
      try provider.sessionCookie(of: Secret(idToken), lifetime: lifetime)
    }
  }

  /// Makes a session cookie of an ID token.
  public func sessionCookie(
    forIDToken idToken: String, lifetime: Duration, @_inheritActorContext completion: @escaping Completion<String>
  ) {
    withProvider(completion: completion) { provider throws(AuthError) in
      try provider.sessionCookie(of: Secret(idToken), lifetime: lifetime)
    }
  }

  /// Verifies a session cookie that this provider made.
  ///
  /// - Parameters:
  ///   - cookie: the cookie.
  ///   - checkingRevocation: whether the account is looked up as well: a cookie of an account that is gone or disabled,
  ///     or of a session that was ended since, is refused then.
  /// - Throws: what a `TokenVerifier` throws, `.tokenExpired` for one; with the look-up `.userNotFound`,
  ///   `.userDisabled` and `.userTokenExpired`; why the folder cannot be used; `.closed` after `close()`.
  public func verifySessionCookie(
    _ cookie: String, checkingRevocation: Bool = false
  ) async throws(AuthError) -> VerifiedToken {
    try await withProvider { provider throws(AuthError) in
      try provider.verifySessionCookie(cookie, checkingRevocation: checkingRevocation)
    }
  }

  /// Verifies a session cookie that this provider made.
  public func verifySessionCookie(
    _ cookie: String, checkingRevocation: Bool = false,
    @_inheritActorContext completion: @escaping Completion<VerifiedToken>
  ) {
    withProvider(completion: completion) { provider throws(AuthError) in
      try provider.verifySessionCookie(cookie, checkingRevocation: checkingRevocation)
    }
  }
}
