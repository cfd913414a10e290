import GatehouseBase

// The errors of a store that lacks a required capability, or that others change all the time.
extension AuthError {
  /// The error of a store without a lock. A provider that rotates refresh tokens requires one, so that two refreshes
  /// never overlap.
  static var hasNoLock: AuthError {
    AuthError(
      .invalidArgument,
      "this backend rotates refresh tokens, so that two Auths must never refresh one session at once, and this store "
        + "has no lock to keep them apart; use a store that has one, such as FileCredentialStore, or a backend that "
        + "does not rotate")
  }

  /// The error of a store without a shelf, which switching between users requires.
  static var keepsNoUsers: AuthError {
    AuthError(
      .operationNotAllowed,
      "this store keeps one user; to switch between several use one that keeps them, "
        + "such as .file(path, keepsUsers: true)")
  }

  /// The error of a write that met another change at each attempt.
  static var isChangedEachTime: AuthError {
    AuthError(.storeFailed, "the stored session was changed each time before it could be written; try again")
  }
}
