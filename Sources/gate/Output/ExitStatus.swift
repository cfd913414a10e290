import GatehouseBase
import GatehouseSystem

/// The exit statuses: the one table for all commands. `gate help` shows it.
enum ExitStatus {
  static let done: Int32 = 0
  /// The command was refused or failed. The reason is on standard error.
  static let refused: Int32 = 1
  static let usage: Int32 = 2
  /// No user is signed in, or the session has ended: the user has signed out, the session was revoked, or the account
  /// was disabled or deleted. Trying again does not help; a person must sign in.
  static let signInAgain: Int32 = 3
  /// Only from `queuecheck`: a part of the record was lost.
  static let incompleteRecord: Int32 = 4
  /// No program reads standard output any more. The status is the one that a shell reports for a program that `SIGPIPE`
  /// has ended.
  static let readerGone = Signal.brokenPipe.status

  /// Returns the status of a command that ends with this error. For a command that needs no signed-in user this is
  /// `refused`, whatever the reason, because signing in would not help.
  ///
  /// - Parameter command: the name of the command that ran; `nil` if the arguments do not name one.
  static func of(_ error: AuthError, during command: String? = nil) -> Int32 {
    if needingNoUser.contains(command) { return refused }
    return error.needsSignIn ? signInAgain : refused
  }

  private static let needingNoUser: [String?] = ["sign-in", "sign-up", "reset-password", "apply-code", "login"]

  fileprivate static let needsSignIn: Set<AuthError.Code> = [
    .nullUser, .sessionEnded, .invalidUserToken, .userTokenExpired, .userDisabled, .userNotFound, .requiresRecentLogin,
  ]
}

extension AuthError {
  /// Whether only a person's sign-in helps.
  var needsSignIn: Bool { ExitStatus.needsSignIn.contains(code) }
}
