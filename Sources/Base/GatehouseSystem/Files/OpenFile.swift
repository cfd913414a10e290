import GatehouseBase
import Glibc

/// The access mode with which a file is opened.
package enum FileAccess: Sendable {
  /// Opens an existing file for reading.
  case reading
  /// For reading and writing. Creates the file, for its owner only (0600), if it does not exist.
  case readingOrMaking
  /// For reading and writing a new file. Fails with `.exists` if the file exists.
  case making(FilePermissions = .ownerOnly)
  /// For writing from the beginning; discards the old content. Creates the file if it does not exist.
  case overwriting
  /// For writing later: the old content is kept until `empty()`. Creates the file if it does not exist.
  case keeping
  /// For reading, and for writing at the end regardless of other programs' writes. Creates the file, for its owner only
  /// (0600), if it does not exist.
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

/// The permissions of a new file.
package enum FilePermissions: Sendable {
  /// For its owner only: 0600.
  case ownerOnly
  /// The usual permissions of a file that others may read: 0644, less the process's mask.
  case shared
}

/// An open file. Closed when it goes out of scope, and in every program that this one starts.
///
/// Opening never waits for the other end of a pipe. Every call blocks its thread, and is repeated when a signal
/// interrupts it.
package struct OpenFile: ~Copyable, Sendable {
  /// The kernel gives a new file the lowest number that is free.
  package let descriptor: Int32
  /// The path with which it was opened, for errors.
  package let path: String

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens a file that the user names, following links in its path. `OpenFolder.open` follows none.
  ///
  /// A pipe without a reader is not opened for overwriting or keeping (`.noReader`); writes to a pipe with a reader
  /// proceed at the reader's pace.
  package init(_ path: String, _ access: FileAccess = .reading) throws(SystemError) {
    // `unsafe`: the kernel reads the string up to its zero byte; `systemCall` has checked that it contains no other.
    descriptor = try systemCall("open", path, passing: path) {
      unsafe open(path, access.flags | O_CLOEXEC | O_NONBLOCK, access.mode)
    }
    self.path = path
    switch access {
    case .overwriting, .keeping: break
    default: return
    }
    // From now on, a write to a full pipe waits for its reader. Neither call fails on an open file.
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
  }

  deinit {
    SlowWork.begins(.file)
    // Not repeated when interrupted: Linux has closed the descriptor, and its number may belong to another file.
    close(descriptor)
  }

  package func status() throws(SystemError) -> FileStatus {
    var status = stat()
    // `unsafe`: the kernel writes one `stat`, to a variable of that type.
    try systemCall("fstat", path) { unsafe fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Sets the permission bits regardless of the process's mask.
  func setMode(_ mode: mode_t) throws(SystemError) { try systemCall("fchmod", path) { fchmod(descriptor, mode) } }

  /// Discards the content of a plain file. Does nothing for a pipe or a device.
  package borrowing func empty() throws(SystemError) {
    guard try status().kind == .file else { return }
    try systemCall("ftruncate", path) { ftruncate(descriptor, 0) }
  }

  /// Truncates the file to a size.
  package borrowing func cut(to size: Int) throws(SystemError) {
    try systemCall("ftruncate", path) { ftruncate(descriptor, size) }
  }

  /// Returns when the written data is on the disk.
  package func sync() throws(SystemError) { try systemCall("fsync", path) { fsync(descriptor) } }
}
