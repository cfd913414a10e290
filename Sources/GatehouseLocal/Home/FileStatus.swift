import GatehouseBase
import Glibc

/// What the kernel says of a file: what it is, whose, and who may touch it.
struct FileStatus: Sendable {
  private let status: stat

  var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
  var isFile: Bool { status.st_mode & S_IFMT == S_IFREG }
  var isLink: Bool { status.st_mode & S_IFMT == S_IFLNK }
  var size: Int { Int(status.st_size) }

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
