import Glibc

/// The required protection of a file or folder from other users.
package enum Privacy: Sendable {
  /// Other users have no permissions: for files with secrets.
  case secret
  /// Other users cannot write: for folders and locks.
  case unwritable

  fileprivate var forbidden: UInt32 { self == .secret ? 0o077 : 0o022 }
}

extension FileStatus {
  /// Rejects a file of another kind, one that belongs to another user, and one that is open to others. The error says
  /// which command to run.
  ///
  /// - Parameter path: the path, for the error.
  package func require(_ wanted: Kind, _ privacy: Privacy, at path: String) throws(SystemError) {
    try require(wanted, at: path)
    guard let owner else {
      throw SystemError(
        unsafe: "belongs to a user that this user namespace does not map (/proc/self/uid_map); give it to the user "
          + "that this program runs as, which must be a mapped one", path: path)
    }
    guard isOurs else {
      let user = CurrentUser.text
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

  /// Rejects a settings file that other users could change: one that belongs to another user except root, or that
  /// others can write to.
  ///
  /// - Parameter path: the path, for the error.
  package func requireSettings(at path: String) throws(SystemError) {
    if owner != 0 { return try require(.file, .unwritable, at: path) }
    try require(.file, at: path)
    guard mode & Privacy.unwritable.forbidden == 0 else {
      throw SystemError(
        unsafe: "can be changed by other users (mode \(String(mode, radix: 8))); run: chmod go-w \(quoted(path))",
        path: path)
    }
  }

  /// Rejects a file with a secret that other users could change or read: the same as `requireSettings`, and a file that
  /// is open to readers.
  ///
  /// - Parameter path: the path, for the error.
  package func requireSecretSettings(at path: String) throws(SystemError) {
    try requireSettings(at: path)
    guard !isOpenToReaders else {
      throw SystemError(
        unsafe: "can be read by other users (mode \(String(mode, radix: 8))); run: chmod 600 \(quoted(path))",
        path: path)
    }
  }

  /// Rejects a file with a private key that other users could change or read. As PostgreSQL does: this program's user
  /// owns it and no other may read it, or root owns it and grants at most a known group access to it (0640).
  ///
  /// - Parameter path: the path, for the error.
  package func requirePrivateKey(at path: String) throws(SystemError) {
    guard owner == 0 else { return try require(.file, .secret, at: path) }
    guard mode & (group == nil ? 0o077 : 0o037) == 0 else {
      throw SystemError(
        unsafe: "is open to other users (mode \(String(mode, radix: 8))); run: chmod "
          + "\(CurrentUser.isRoot ? "600" : "640") \(quoted(path))", path: path)
    }
  }

  /// Whether other users can read the file. For a file of root's, access of a known group does not count: root grants
  /// it to this program.
  package var isOpenToReaders: Bool {
    mode & (owner == 0 && group != nil && !CurrentUser.isRoot ? 0o004 : 0o044) != 0
  }

  /// Rejects a file of another kind: reading a pipe or a device may never end, and a link leads elsewhere.
  package func require(_ wanted: Kind, at path: String) throws(SystemError) {
    if kind == wanted { return }
    if kind == .link { throw .link(path) }
    throw SystemError(
      unsafe: "is not a \(wanted == .folder ? "folder" : "plain file"); move it away or name another one", path: path)
  }

  /// Whether this program's user owns the file.
  package var isOurs: Bool { UserNamespace.isOwn(owner) }

  /// A path quoted for a shell.
  private func quoted(_ path: String) -> String {
    "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}

extension SystemError {
  /// The error for a symbolic link.
  static func link(_ path: String) -> SystemError {
    SystemError(unsafe: "is a symbolic link, which is not followed; name what it points to, or remove it", path: path)
  }
}
