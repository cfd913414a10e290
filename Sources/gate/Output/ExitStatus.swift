import GatehouseBase
import GatehouseSystem

/// How the program ends: the one table for all commands. `gate help` shows it.
enum ExitStatus {
  static let done: Int32 = 0
  /// The reason is on standard error.
  static let refused: Int32 = 1
  static let usage: Int32 = 2
  /// No user is signed in, or the session has ended: signed out, revoked, the account disabled or deleted. Trying again
  /// does not help; a person must sign in.
  static let signInAgain: Int32 = 3
  /// `queuecheck` only: a part of the record was lost.
  static let incompleteRecord: Int32 = 4
  /// The reader of standard output is gone, as a shell reports of a program that `SIGPIPE` ended.
  static let readerGone = Signal.brokenPipe.status

  /// The status of a command that ends with this error. A command that needs no signed-in user is refused, whatever
  /// the reason: a sign-in does not help it.
  ///
  /// - Parameter command: the name of the command that ran; `nil` when none was found in the arguments.
  static func of(_ error: AuthError, during command: String? = nil) -> Int32 {
    if needingNoUser.contains(command) { return refused }
    return error.needsSignIn ? signInAgain : refused
  }

  private static let needingNoUser: [String?] = ["sign-in", "sign-up", "reset-password", "apply-code"]

  fileprivate static let needsSignIn: Set<AuthError.Code> = [
    .nullUser, .sessionEnded, .invalidUserToken, .userTokenExpired, .userDisabled, .userNotFound, .requiresRecentLogin,
  ]
}

extension AuthError {
  /// Whether only a person's sign-in helps.
  var needsSignIn: Bool { ExitStatus.needsSignIn.contains(code) }
}
