package import GatehouseBase

extension AuthError.Code {
  /// Whether the provider has refused the token that was sent; another token may be accepted.
  var refusesToken: Bool { self == .invalidUserToken || self == .userTokenExpired }

  /// Whether this answer to a refresh means that the session is over and only a new sign-in helps.
  package var endsSession: Bool { refusesToken || self == .userDisabled || self == .userNotFound }
}
