import GatehouseBase
package import Glibc

/// A call to the system that failed.
package struct FileFailure: Error, Sendable, Hashable {
  /// The call: `open`, `fsync`, …
  package let call: String
  /// The system's number for the reason: `ENOENT`, …
  package let number: Int32

  /// The system's words for the reason.
  package var reason: String {
    // `unsafe`: glibc returns a string of its own, this thread's until the next call, and it is copied here.
    unsafe "\(String(cString: strerror(number))) (\(call), error \(number))"
  }
}

/// What the system knows of a file.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable { case file, folder, link, other }

  package let kind: Kind
  package let owner: uid_t
  /// Permission bits only.
  package let mode: mode_t
  /// In bytes.
  package let size: Int

  fileprivate init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .link
    default: kind = .other
    }
    owner = status.st_uid
    mode = status.st_mode & 0o7777
    size = Int(status.st_size)
  }
}

/// An open file: closed when it goes out of scope, and by every program that this one starts.
///
/// Every call of this file blocks its thread, says so at one door (`system`), and is repeated when a signal
/// interrupts it. All POSIX calls of the stores, and every `unsafe`, are here.
package struct POSIXFile: ~Copyable {
  fileprivate let descriptor: Int32

  fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

  /// Opens a path; nobody waits for the other end of a pipe.
  package init(opening path: String, _ flags: Int32) throws(FileFailure) {
    // `unsafe`, here and below: the kernel reads the string up to its zero byte, and `system` saw that it has no other.
    descriptor = try system("open", path) { unsafe open(path, flags | O_CLOEXEC | O_NONBLOCK) }
  }

  deinit {
    SlowWork.begins(.file)
    close(descriptor)
  }

  /// Whose rights this program has.
  package static var effectiveUser: uid_t { geteuid() }

  package func status() throws(FileFailure) -> FileStatus {
    var status = stat()
    // `unsafe`: the kernel writes one `stat`, and this is one.
    _ = try system("fstat") { unsafe fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// The bytes from here to the end; `nil` when they are more than `limit`.
  package func readAll(limit: Int) throws(FileFailure) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = try system("read") {
        // `unsafe`: the pointer is used for this call, and the kernel writes at most the buffer's count.
        unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      }
      if count == 0 { return bytes }
      bytes += chunk.prefix(count)
      if bytes.count > limit { return nil }
    }
  }

  package func writeAll(_ bytes: [UInt8]) throws(FileFailure) {
    var written = 0
    while written < bytes.count {
      written += try system("write") {
        // `unsafe`: the pointer is used for this call, and the kernel reads at most the rest's count.
        unsafe bytes[written...].withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      }
    }
  }

  package func setMode(_ mode: mode_t) throws(FileFailure) { _ = try system("fchmod") { fchmod(descriptor, mode) } }

  /// Returns when what was written is on the disk.
  package func sync() throws(FileFailure) { _ = try system("fsync") { fsync(descriptor) } }

  /// Takes the file's lock, which ends with the file; false when another open file has it, in this process or another.
  package func tryLock() throws(FileFailure) -> Bool {
    do throws(FileFailure) {
      _ = try system("flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.number == EWOULDBLOCK else { throw error }
      return false
    }
  }

  package func unlock() { _ = try? system("flock") { flock(descriptor, LOCK_UN) } }
}

/// An open folder. Names are looked up in this very folder, whatever becomes of its path meanwhile.
package struct POSIXFolder: ~Copyable {
  private let file: POSIXFile

  /// Opens a folder. A link in its place is refused (`ELOOP`), unless it is to be followed.
  package init(opening path: String, followingLink: Bool = false) throws(FileFailure) {
    do throws(FileFailure) {
      file = try POSIXFile(opening: path, O_RDONLY | O_DIRECTORY | (followingLink ? 0 : O_NOFOLLOW))
    } catch {
      // The kernel calls a link no folder.
      guard error.number == ENOTDIR, try Self.isLink(path) else { throw error }
      throw FileFailure(call: error.call, number: ELOOP)
    }
  }

  /// Makes a folder for its owner only (0700), and those above it that are missing, durably.
  package static func make(_ path: String) throws(FileFailure) {
    let parent = FileLocation(path).folder
    do throws(FileFailure) { try makeOne(path, in: parent) } catch {
      guard error.number == ENOENT, parent != path else { throw error }
      try make(parent)
      try makeOne(path, in: parent)
    }
  }

  private static func makeOne(_ path: String, in parent: String) throws(FileFailure) {
    do throws(FileFailure) {
      _ = try system("mkdir", path) { unsafe mkdir(path, 0o700) }
    } catch {
      guard error.number == EEXIST else { throw error }
      return
    }
    try POSIXFolder(opening: parent, followingLink: true).sync()
  }

  package func status() throws(FileFailure) -> FileStatus { try file.status() }

  private static func isLink(_ path: String) throws(FileFailure) -> Bool {
    var status = stat()
    _ = try system("lstat", path) { unsafe lstat(path, &status) }
    return FileStatus(status).kind == .link
  }

  /// Opens a file of this folder. A link is refused (`ELOOP`), and nobody waits for the other end of a pipe.
  package func open(_ name: String, _ flags: Int32, mode: mode_t = 0) throws(FileFailure) -> POSIXFile {
    let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    return POSIXFile(descriptor: try system("open", name) { unsafe openat(file.descriptor, name, flags, mode) })
  }

  /// Gives a file another name, in one step; what had that name is gone.
  package func rename(_ name: String, to other: String) throws(FileFailure) {
    _ = try system("rename", name, other) { unsafe renameat(file.descriptor, name, file.descriptor, other) }
  }

  /// Gives a file a second name; fails with `EEXIST` when something has that name.
  package func link(_ name: String, to other: String) throws(FileFailure) {
    _ = try system("link", name, other) { unsafe linkat(file.descriptor, name, file.descriptor, other, 0) }
  }

  package func remove(_ name: String) throws(FileFailure) {
    _ = try system("unlink", name) { unsafe unlinkat(file.descriptor, name, 0) }
  }

  /// The names in this folder.
  package func names() throws(FileFailure) -> [String] {
    // A stream owns its descriptor and moves its position: it gets one of its own.
    let own = try system("open") { unsafe openat(file.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    // `unsafe`: the stream is opened, used and closed here; an entry is valid until the next one is read.
    guard let stream = unsafe fdopendir(own) else {
      close(own)
      throw FileFailure(call: "fdopendir", number: errno)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      names.append(String(decoding: name, as: UTF8.self))
    }
    return names
  }

  /// Returns when the names in this folder are on the disk, as far as its file system can say (`EINVAL`: it cannot).
  package func sync() throws(FileFailure) {
    do throws(FileFailure) { try file.sync() } catch { guard error.number == EINVAL else { throw error } }
  }
}

/// What `body` answers; `nil` when the system says that there is no such file or folder.
package func ifThere<T: ~Copyable>(_ body: () throws(FileFailure) -> T) throws(FileFailure) -> T? {
  do throws(FileFailure) { return try body() } catch {
    guard error.number == ENOENT else { throw error }
    return nil
  }
}

/// The door of every call here: says that slow work begins, refuses text with a zero byte, and repeats a call that a
/// signal interrupted.
private func system<R: SignedInteger>(
  _ call: String, _ texts: String..., body: () -> R
) throws(FileFailure) -> R {
  SlowWork.begins(.file)
  guard !texts.contains(where: { $0.utf8.contains(0) }) else { throw FileFailure(call: call, number: EINVAL) }
  while true {
    let fault = FileFaults.fault(at: call)
    let result = fault == 0 ? body() : -1
    if result >= 0 { return result }
    let number = fault == 0 ? errno : fault
    if number != EINTR { throw FileFailure(call: call, number: number) }
  }
}

/// For tests: makes file calls fail, or ends the process at one.
package enum FileFaults {
  package typealias Ear = @Sendable (_ call: String) -> Int32

  /// An object, because in release builds of Swift 6.3 a closure as a task-local value brings the process down.
  private final class Listener: Sendable {
    let hear: Ear

    init(_ hear: @escaping Ear) { self.hear = hear }
  }

  @TaskLocal private static var listener: Listener?

  /// Runs `body`, and tells `hear` of each call that it makes before it is made; an answer that is not 0 is its failure
  /// instead.
  package static func heard<Result>(by hear: @escaping Ear, _ body: () throws -> Result) rethrows -> Result {
    try $listener.withValue(Listener(hear)) { try body() }
  }

  fileprivate static func fault(at call: String) -> Int32 { listener?.hear(call) ?? 0 }
}
