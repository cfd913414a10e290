import GatehouseBase
import Glibc

/// Whether a file or folder is ours alone. A refusal says what to run.
enum Ownership {
  /// Refuses what is of another kind, belongs to somebody else, or grants one of the forbidden permissions.
  static func check(
    _ status: FileStatus, at path: String, is kind: FileStatus.Kind, forbidding forbidden: mode_t
  ) throws(AuthError) {
    let user = POSIXFile.effectiveUser
    guard status.kind == kind else {
      throw AuthError(.storeUnsafe, "\(path) is not a plain \(kind); move it away or name another one")
    }
    guard status.owner == user else {
      throw AuthError(
        .storeUnsafe,
        "\(path) belongs to user \(status.owner) and this program runs as \(user); run it as that user, "
          + "or run: chown \(user) \(quoted(path))")
    }
    guard status.mode & forbidden == 0 else {
      throw AuthError(
        .storeUnsafe,
        "\(path) is open to other users (mode \(String(status.mode, radix: 8))); "
          + "run: chmod \(kind == .folder ? "700" : "600") \(quoted(path))")
    }
  }

  /// The refusal of a symbolic link.
  static func link(_ path: String) -> AuthError {
    AuthError(.storeUnsafe, "\(path) is a symbolic link, which is not followed; name what it points to, or remove it")
  }

  /// A path as a shell takes it back.
  private static func quoted(_ path: String) -> String {
    "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
