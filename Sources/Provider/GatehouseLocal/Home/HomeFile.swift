import GatehouseBase
import Glibc

/// An open file or folder, closed when it goes out of scope and never inherited by a child process.
///
/// Opening never waits for the other end of a pipe, and does not follow a symbolic link at the end of the path.
struct HomeFile: ~Copyable {
  private let descriptor: Int32
  let path: String

  /// Opens what is there.
  init(reading path: String) throws(AuthError) { try self.init(path, O_RDONLY | O_NOFOLLOW, "open") }

  /// Opens what is there, or what a link there leads to: for files that the user names.
  init(readingNamed path: String) throws(AuthError) { try self.init(path, O_RDONLY, "open") }

  /// Makes a file that only we may read; refuses one that exists.
  init(making path: String) throws(AuthError) { try self.init(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, "make") }

  /// Opens a file that is there, or makes one that only we may read.
  init(openingOrMaking path: String) throws(AuthError) { try self.init(path, O_RDWR | O_CREAT | O_NOFOLLOW, "open") }

  private init(_ path: String, _ flags: Int32, _ verb: String) throws(AuthError) {
    let descriptor = Kernel.open(path, flags)
    guard descriptor >= 0 else { throw KernelError.latest.refusal("\(verb) \(path)") }
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Whose it is, and who may touch it.
  func status() throws(AuthError) -> FileStatus {
    guard let status = FileStatus(of: descriptor) else { throw KernelError.latest.refusal("examine \(path)") }
    return status
  }

  /// Refuses a pipe, a device, a folder: reading one may never end.
  func requirePlain() throws(AuthError) {
    guard try status().isFile else { throw AuthError(.providerUnsafe, "\(path) is not a plain file") }
  }

  enum LockKind { case shared, exclusive }

  /// Takes the file's lock; false when another open file holds it, in this process or another.
  func tryLock(_ kind: LockKind) throws(AuthError) -> Bool {
    let operation = kind == .shared ? LOCK_SH : LOCK_EX
    while flock(descriptor, operation | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw KernelError.latest.refusal("lock \(path)") }
    }
    return true
  }

  /// Ends the lock, which otherwise ends with the file.
  func unlock() { flock(descriptor, LOCK_UN) }

  /// All of the file, up to a limit in bytes; a longer file is refused as damaged.
  func contents(atMost limit: Int) throws(AuthError) -> [UInt8] {
    // One byte more than the file has: the read that finds its end needs room.
    let expected = min(max(try status().size, 0), limit) + 1
    var bytes = [UInt8](repeating: 0, count: expected)
    var filled = 0
    while filled <= limit {
      if filled == bytes.count { bytes += [UInt8](repeating: 0, count: min(65536, limit + 1 - filled)) }
      let count = Kernel.read(descriptor, into: &bytes, from: filled)
      if count == 0 {
        bytes.removeLast(bytes.count - filled)
        return bytes
      }
      if count > 0 { filled += count } else if errno != EINTR { throw KernelError.latest.refusal("read \(path)") }
    }
    throw AuthError(.providerDamaged, "\(path) is longer than \(limit) bytes")
  }

  /// Writes all of it, at the file's present end.
  func append(_ bytes: [UInt8]) throws(AuthError) {
    var done = 0
    while done < bytes.count {
      let count = Kernel.write(descriptor, bytes, from: done)
      if count >= 0 { done += count } else if errno != EINTR { throw KernelError.latest.refusal("write \(path)") }
    }
  }

  /// Returns when what was written is on the disk; for a folder, when its names are.
  func synchronize() throws(AuthError) {
    guard fsync(descriptor) == 0 else { throw KernelError.latest.refusal("write \(path) to the disk") }
  }
}
