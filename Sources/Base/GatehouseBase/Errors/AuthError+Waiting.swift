extension AuthError {
  /// The caller's task was cancelled.
  package static var cancelled: AuthError { AuthError(.cancelled, "the waiting task was cancelled") }

  /// No answer within the timeout.
  package static func deadlineExceeded(_ what: String, after seconds: Double) -> AuthError {
    AuthError(.deadlineExceeded, "\(what) took longer than its timeout of \(seconds) s; try again")
  }
}
