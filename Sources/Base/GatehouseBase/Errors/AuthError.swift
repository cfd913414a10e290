public import FoundationEssentials

/// The error that Gatehouse's calls throw.
///
/// `code` is for programs and `message` for people; the message says what to do next and never holds a password,
/// a token or a key. Two errors are equal when all their parts are: to ask only for the kind, compare `code`, or
/// switch over `error.code` in a plain `catch`. (In a function that throws untyped errors, Swift 6.3.1 may crash at a
/// `catch where …` without a plain `catch` behind it.)
public struct AuthError: Error, Sendable, Hashable {
  /// The kind of the error.
  public let code: Code
  /// What is wrong and what to do next, for people.
  public let message: String
  /// The user's address that the error is about, where there is one.
  public var email: String?
  /// How long to wait before the next attempt, where the server or a back-off says so.
  public var retryAfter: Duration?
  /// The server's own code (`EMAIL_EXISTS`), where a server or provider refused the call.
  public var serverCode: String?
  /// The sign-in that waits, of `.secondFactorRequired`.
  public var pendingSignIn: PendingSignIn?
  /// The credential to go on with, of a sign-in or a link that another account stands in the way of.
  package var refusedCredential: RefusedCredential?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, email: String? = nil, retryAfter: Duration? = nil, serverCode: String? = nil
  ) {
    self.code = code
    self.message = message
    self.email = email
    self.retryAfter = retryAfter
    self.serverCode = serverCode
  }
}

extension AuthError {
  /// The error of a sign-in whose account has a second factor: `.secondFactorRequired`, with what ends the sign-in.
  public static func secondFactorRequired(_ pending: PendingSignIn) -> AuthError {
    var error = AuthError(
      .secondFactorRequired, "the account wants a second factor; go on with multiFactorResolver(for:)")
    error.pendingSignIn = pending
    return error
  }
}

extension AuthError: LocalizedError {
  /// The message: what `localizedDescription` says.
  public var errorDescription: String? { message }
}

extension AuthError: CustomStringConvertible {
  /// The message, and the code's name in brackets.
  public var description: String { "\(message) [\(code)]" }
}
