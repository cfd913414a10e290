import GatehouseBase

extension AuthError.Code {
  /// Whether the provider has refused the token that was sent; another one may be accepted.
  var refusesToken: Bool { self == .invalidUserToken || self == .userTokenExpired }

  /// Whether this answer to a refresh means that only a new sign-in helps: the session is over.
  var endsSession: Bool { refusesToken || self == .userDisabled || self == .userNotFound }
}
