import Glibc

/// How much of a file or folder must be closed to other users.
package enum Privacy: Sendable {
  /// Other users have no permission at all: for files with secrets.
  case secret
  /// Other users cannot write: for folders and locks.
  case unwritable

  fileprivate var forbidden: UInt32 { self == .secret ? 0o077 : 0o022 }
}

extension FileStatus {
  /// Refuses a file of another kind, one that belongs to another user, and one that is open to others. The error says
  /// what to run.
  ///
  /// - Parameter path: for the error.
  package func require(_ wanted: Kind, _ privacy: Privacy, at path: String) throws(SystemError) {
    try require(wanted, at: path)
    let user = geteuid()
    guard owner == user else {
      throw SystemError(
        unsafe: "belongs to user \(owner) and this program runs as user \(user); run it as that user, or run: "
          + "chown \(user) \(quoted(path))", path: path)
    }
    guard mode & privacy.forbidden == 0 else {
      throw SystemError(
        unsafe: "is open to other users (mode \(String(mode, radix: 8))); run: "
          + "chmod \(wanted == .folder ? "700" : "600") \(quoted(path))", path: path)
    }
  }

  /// Refuses settings that other users could change: in a file of another user's, root aside, or open to writers.
  ///
  /// - Parameter path: for the error.
  package func requireSettings(at path: String) throws(SystemError) {
    if owner != 0 { return try require(.file, .unwritable, at: path) }
    try require(.file, at: path)
    guard mode & Privacy.unwritable.forbidden == 0 else {
      throw SystemError(
        unsafe: "can be changed by other users (mode \(String(mode, radix: 8))); run: chmod go-w \(quoted(path))",
        path: path)
    }
  }

  /// Whether other users can read the file. Root gives this program a file by its group.
  package var isOpenToReaders: Bool { mode & (owner == 0 && geteuid() != 0 ? 0o004 : 0o044) != 0 }

  /// Refuses a file of another kind: reading a pipe or a device may never end, and a link leads elsewhere.
  package func require(_ wanted: Kind, at path: String) throws(SystemError) {
    if kind == wanted { return }
    if kind == .link { throw .link(path) }
    throw SystemError(
      unsafe: "is not a \(wanted == .folder ? "folder" : "plain file"); move it away or name another one", path: path)
  }

  /// Whether this program's user owns it.
  package var isOurs: Bool { owner == geteuid() }

  /// A path as a shell takes it back.
  private func quoted(_ path: String) -> String {
    "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}

extension SystemError {
  /// The refusal of a symbolic link.
  static func link(_ path: String) -> SystemError {
    SystemError(unsafe: "is a symbolic link, which is not followed; name what it points to, or remove it", path: path)
  }
}
