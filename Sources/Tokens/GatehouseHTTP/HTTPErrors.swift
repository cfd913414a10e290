public import GatehouseBase

// Other failures are `networkError`, `deadlineExceeded`, `cancelled` or `invalidArgument`.
extension AuthError.Code {
  /// The server's response is longer than the request allows.
  public static let responseTooLarge = Self(number: 19040)
  /// The server redirects the request to a place where it must not go.
  public static let redirectRefused = Self(number: 19041)
  /// The request would go to another machine unencrypted.
  public static let insecureConnection = Self(number: 19042)
  /// The server's response is not as expected: its status, its type or its form.
  public static let responseInvalid = Self(number: 19043)
}
