public import GatehouseBase

// What else can go wrong is `networkError`, `deadlineExceeded`, `cancelled` or `invalidArgument`.
extension AuthError.Code {
  /// The server's answer is longer than the request allows.
  public static let responseTooLarge = Self(rawValue: 19040)
  /// The server sends the request elsewhere, and it must not go there.
  public static let redirectRefused = Self(rawValue: 19041)
  /// The request would travel in the open to another machine.
  public static let insecureConnection = Self(rawValue: 19042)
  /// The server's answer is not as expected: its status, its type or its form.
  public static let responseInvalid = Self(rawValue: 19043)
}
