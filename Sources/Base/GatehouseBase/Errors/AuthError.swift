public import FoundationEssentials

/// The error that Gatehouse's calls throw.
///
/// `code` is for programs and `message` for people; the message says what to do next and never contains a password, a
/// token or a key. Two errors are equal when all their parts are: to check only the kind, compare `code`, or switch
/// over `error.code` in a plain `catch`. (In a function that throws untyped errors, Swift 6.3.1 may crash at a `catch
/// where …` that is not followed by a plain `catch`.)
public struct AuthError: Error, Sendable, Hashable {
  /// The kind of the error.
  public let code: Code
  /// A description for people of what is wrong and what to do next.
  public let message: String
  /// The email address of the user that the error is about, if any.
  public var email: String?
  /// The time to wait before the next attempt, if the server or a back-off specifies one.
  public var retryAfter: Duration?
  /// The server's own code (`EMAIL_EXISTS`), if a server or provider rejected the call.
  public var serverCode: String?
  /// The pending sign-in of a `.secondFactorRequired` error.
  public var pendingSignIn: PendingSignIn?
  /// The credential to continue with, when a sign-in or link failed because of another account.
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
  /// Returns the error `.secondFactorRequired` for a sign-in whose account has a second factor, with the pending
  /// sign-in to complete.
  public static func secondFactorRequired(_ pending: PendingSignIn) -> AuthError {
    var error = AuthError(
      .secondFactorRequired, "the account wants a second factor; go on with multiFactorResolver(for:)")
    error.pendingSignIn = pending
    return error
  }
}

extension AuthError: LocalizedError {
  /// The message, which `localizedDescription` returns.
  public var errorDescription: String? { message }
}

extension AuthError: CustomStringConvertible {
  /// The message, and the code's name in brackets.
  public var description: String { "\(message) [\(code)]" }
}
