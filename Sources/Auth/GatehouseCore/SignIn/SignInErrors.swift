import GatehouseBase

extension AuthError {
  /// The error of a call for a user whose session is over.
  static var hasNoSession: AuthError { AuthError(.nullUser, "this user has signed out; sign in again") }

  /// The error of a call that would copy a refresh token that can be used once.
  static var isNotShared: AuthError {
    AuthError(
      .operationNotAllowed,
      "this backend rotates refresh tokens, so that two Auths cannot each keep this user's; sign in here, or make both "
        + "Auths with one store")
  }
}
