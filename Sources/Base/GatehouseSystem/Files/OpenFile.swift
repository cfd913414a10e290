import GatehouseBase
import Glibc

/// How a file is opened.
package enum FileAccess: Sendable {
  /// For reading what is there.
  case reading
  /// For reading and writing; makes the file, for its owner only (0600), if there is none.
  case readingOrMaking
  /// For reading and writing a file that is made; fails with `.exists` if there is one.
  case making(FilePermissions = .ownerOnly)
  /// For writing from its beginning; what was in it is gone. Makes the file if there is none.
  case overwriting
  /// For writing later: what is in it stays until `empty()`. Makes the file if there is none.
  case keeping
  /// For reading, and for writing at its end whatever other programs write; makes the file, for its owner only (0600),
  /// if there is none.
  case appending

  var flags: Int32 {
    switch self {
    case .reading: O_RDONLY
    case .readingOrMaking: O_RDWR | O_CREAT
    case .making: O_RDWR | O_CREAT | O_EXCL
    case .overwriting: O_WRONLY | O_CREAT | O_TRUNC
    case .keeping: O_WRONLY | O_CREAT
    case .appending: O_RDWR | O_CREAT | O_APPEND
    }
  }

  /// The permissions of a new file, before the process's mask is applied.
  var mode: mode_t {
    switch self {
    case .making(.shared): 0o644
    case .overwriting, .keeping: 0o666
    default: 0o600
    }
  }
}

/// Which permissions a new file has.
package enum FilePermissions: Sendable {
  /// Its owner's only: 0600.
  case ownerOnly
  /// As usual for files that others may read: 0644, less the process's mask.
  case shared
}

/// An open file: closed when it goes out of scope, and in every program that this one starts.
///
/// Opening never waits for the other end of a pipe. Every call blocks its thread, and is repeated when a signal
/// interrupts it.
package struct OpenFile: ~Copyable, Sendable {
  let descriptor: Int32
  /// As it was opened, for errors.
  package let path: String

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens a file that the user names, and follows links in its path. `OpenFolder.open` follows none.
  ///
  /// A pipe that no program reads is not opened for overwriting or keeping (`.noReader`); another one is written to at
  /// the pace of its reader.
  package init(_ path: String, _ access: FileAccess = .reading) throws(SystemError) {
    // `unsafe`: the kernel reads the string up to its zero byte, and `systemCall` has checked that it has no other.
    descriptor = try systemCall("open", path, passing: path) {
      unsafe open(path, access.flags | O_CLOEXEC | O_NONBLOCK, access.mode)
    }
    self.path = path
    switch access {
    case .overwriting, .keeping: break
    default: return
    }
    // From now on a write to a full pipe waits for its reader. Neither call fails on an open file.
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
  }

  deinit {
    SlowWork.begins(.file)
    // Not repeated when interrupted: Linux has closed it, and the number may be another file's.
    close(descriptor)
  }

  package func status() throws(SystemError) -> FileStatus {
    var status = stat()
    // `unsafe`: the kernel writes one `stat`, and this is one.
    try systemCall("fstat", path) { unsafe fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Sets the permission bits, whatever the process's mask says.
  func setMode(_ mode: mode_t) throws(SystemError) { try systemCall("fchmod", path) { fchmod(descriptor, mode) } }

  /// Takes out what is in a plain file. Does nothing with a pipe or a device.
  package borrowing func empty() throws(SystemError) {
    guard try status().kind == .file else { return }
    try systemCall("ftruncate", path) { ftruncate(descriptor, 0) }
  }

  /// Takes out what is behind an offset.
  package borrowing func cut(to size: Int) throws(SystemError) {
    try systemCall("ftruncate", path) { ftruncate(descriptor, size) }
  }

  /// Returns when what was written is on the disk.
  package func sync() throws(SystemError) { try systemCall("fsync", path) { fsync(descriptor) } }
}
