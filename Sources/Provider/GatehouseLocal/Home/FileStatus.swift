import GatehouseBase
import Glibc

/// What the kernel says of a file: what it is, whose, and who may touch it.
struct FileStatus: Sendable {
  private let status: stat

  var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
  var isFile: Bool { status.st_mode & S_IFMT == S_IFREG }
  var isLink: Bool { status.st_mode & S_IFMT == S_IFLNK }
  var isOurs: Bool { status.st_uid == geteuid() }
  var size: Int { Int(status.st_size) }

  /// Whether both are of one file, whatever its names.
  func isSame(as other: FileStatus) -> Bool {
    status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
  }

  /// The file's name in the kernel's table of locks: `MAJOR:MINOR:INODE`, the device in hexadecimal.
  var lockName: String {
    let device = UInt64(status.st_dev)
    let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
    let minor = device & 0xFF | (device >> 12) & ~0xFF
    return [major, minor].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
      + ":\(status.st_ino)"
  }

  /// Of the path itself: a link is not followed. `nil` where nothing is.
  init?(at path: String) throws(AuthError) {
    var status = stat()
    guard Kernel.status(at: path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw KernelError.latest.refusal("examine \(path)")
    }
    self.status = status
  }

  /// Of an open file; `nil` when the kernel refuses.
  init?(of descriptor: Int32) {
    var status = stat()
    guard Kernel.status(of: descriptor, &status) == 0 else { return nil }
    self.status = status
  }

  /// Refuses what somebody else owns.
  func requireOurs(_ path: String) throws(AuthError) {
    let us = geteuid()
    guard status.st_uid == us else {
      throw AuthError(
        .providerUnsafe,
        "\(path) belongs to user \(status.st_uid), and this program runs as user \(us); use a folder of your own")
    }
  }

  /// Refuses a file or folder that gives others one of these permissions.
  func requireClosed(_ path: String, to permissions: mode_t, advice: String) throws(AuthError) {
    guard status.st_mode & permissions == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw AuthError(.providerUnsafe, "\(path) is open to others (mode \(mode)); run: \(advice) \(path)")
    }
  }
}
