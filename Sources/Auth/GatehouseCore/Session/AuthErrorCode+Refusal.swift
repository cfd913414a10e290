package import GatehouseBase

extension AuthError.Code {
  /// Whether the provider has refused the token that was sent; another token may be accepted.
  var refusesToken: Bool { self == .invalidUserToken || self == .userTokenExpired }

  /// Whether the provider has answered, and has changed nothing. After any other failure the change may have been made.
  var isRefusal: Bool {
    (17_000..<19_000).contains(rawValue) && self != .networkError && self != .internalError && self != .storeFailed
  }

  /// Whether an answer was lost, so that the request may have been carried out.
  var isLostAnswer: Bool { self == .networkError || self == .internalError || self == .deadlineExceeded }

  /// Whether this answer to a refresh means that the session is over and only a new sign-in helps.
  package var endsSession: Bool { refusesToken || self == .userDisabled || self == .userNotFound }
}
