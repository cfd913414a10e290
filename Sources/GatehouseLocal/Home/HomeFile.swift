import GatehouseBase
import Glibc

/// An open file or folder of the provider's home, closed when it goes out of scope.
///
/// Never follows a symbolic link at the end of its path, and is never inherited by a child process.
struct HomeFile: ~Copyable {
  private let descriptor: Int32
  private let path: String

  /// Opens what is there.
  init(reading path: String) throws(AuthError) { try self.init(path, O_RDONLY, "open") }

  /// Makes a file that only we may read; refuses one that exists.
  init(making path: String) throws(AuthError) { try self.init(path, O_WRONLY | O_CREAT | O_EXCL, "make") }

  /// Opens a file that is there, or makes one that only we may read.
  init(openingOrMaking path: String) throws(AuthError) { try self.init(path, O_RDWR | O_CREAT, "open") }

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

  /// Runs work while no other process, and no other part of this one, holds the file's lock; waits for that.
  func locked<Result>(_ work: () throws(AuthError) -> Result) throws(AuthError) -> Result {
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw KernelError.latest.refusal("lock \(path)") }
    }
    defer { flock(descriptor, LOCK_UN) }
    return try work()
  }

  /// All of the file, up to a limit in bytes; a longer file is refused as damaged.
  func contents(atMost limit: Int) throws(AuthError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var filled = 0
    while filled < bytes.count {
      let count = Kernel.read(descriptor, into: &bytes, from: filled)
      if count == 0 { return Array(bytes[..<filled]) }
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
