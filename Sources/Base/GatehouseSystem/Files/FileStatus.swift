package import Glibc

/// A file's status: its kind, owner, permissions and size.
///
/// Two are equal when they describe the same file, and it was not changed in between.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable { case file, folder, link, other }

  package let kind: Kind
  /// Whether this is a Unix socket, whose kind is `other`.
  let isSocket: Bool
  /// The owner's user ID; `nil` if this user namespace does not map the owner.
  let owner: UInt32?
  /// The group ID; `nil` if this user namespace does not map the group.
  let group: UInt32?
  /// The permission bits only.
  package let mode: UInt32
  /// The size in bytes.
  package let size: Int
  private let device: UInt64
  private let inode: UInt64
  /// The time of the last change to the content or the status, by the wall clock.
  private let changedSeconds, changedNanoseconds: Int

  /// - Parameter namespace: the namespace that the kernel's identifiers are of.
  package init(_ status: stat, in namespace: UserNamespace = .current) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .link
    default: kind = .other
    }
    isSocket = status.st_mode & S_IFMT == S_IFSOCK
    owner = namespace.known(user: status.st_uid)
    group = namespace.known(group: status.st_gid)
    mode = status.st_mode & 0o7777
    size = Int(status.st_size)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    changedSeconds = status.st_ctim.tv_sec
    changedNanoseconds = status.st_ctim.tv_nsec
  }

  /// The status of the object at a path; `nil` if there is none.
  ///
  /// - Parameter followingLink: whether a link at the path's end is followed.
  // Not a failable initializer: its `self = …` crashes the compiler in release builds (Swift 6.3.1).
  package static func at(_ path: String, followingLink: Bool = false) throws(SystemError) -> FileStatus? {
    try ifThere { () throws(SystemError) in
      try status(of: path, in: AT_FDCWD, path, followingLink ? 0 : AT_SYMLINK_NOFOLLOW)
    }
  }

  /// The status of a name in an open folder.
  static func status(
    of name: String, in folder: Int32, _ path: String, _ flags: Int32 = AT_SYMLINK_NOFOLLOW
  ) throws(SystemError) -> FileStatus {
    var status = stat()
    // `unsafe`: the kernel reads the string up to its zero byte, and writes one `stat`, to a variable of that type.
    try systemCall("fstatat", path, passing: name) { unsafe fstatat(folder, name, &status, flags) }
    return FileStatus(status)
  }

  /// Whether both describe the same file, under any name.
  package func isSame(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

  /// The file's identifier in the kernel's table of locks: `MAJOR:MINOR:INODE`, with the device in hexadecimal.
  var lockName: String {
    let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
    let minor = device & 0xFF | (device >> 12) & ~0xFF
    return [major, minor].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":") + ":\(inode)"
  }
}
