import GatehouseBase
import Glibc

// Every call of this module that hands a pointer to the kernel is in this file. Paths hold no NUL: `HomeFolder` sees to
// that. A call fails with -1 and its reason in `errno`, to be asked for at once (`KernelError.latest`).

/// The kernel's file calls, in safe Swift.
enum Kernel {
  /// Opens a file that no child process inherits. Never waits for the other end of a pipe.
  ///
  /// `unsafe` throughout: a path is copied to a C string that lives as long as the call.
  static func open(_ path: String, _ flags: Int32) -> Int32 {
    SlowWork.begins(.file)
    return unsafe Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600)
  }

  static func makeFolder(_ path: String) -> Int32 { unsafe mkdir(path, 0o700) }

  static func rename(_ path: String, to other: String) -> Int32 { unsafe Glibc.rename(path, other) }

  /// Swaps two files or folders in one step. `ENOSYS` where the system library cannot, `EINVAL` where the disk cannot.
  static func exchange(_ path: String, _ other: String) -> Int32 {
    typealias Function =
      @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
    // Swift's Glibc module leaves `renameat2` out, because glibc declares it for `_GNU_SOURCE` only.
    guard let symbol = unsafe dlsym(nil, "renameat2") else {
      errno = ENOSYS
      return -1
    }
    // `unsafe`: this is the signature of `renameat2(2)`; 2 is its `RENAME_EXCHANGE`.
    return unsafe unsafeBitCast(symbol, to: Function.self)(AT_FDCWD, path, AT_FDCWD, other, 2)
  }

  static func remove(_ path: String) -> Int32 { unsafe unlink(path) }

  /// Of the path itself: a link is not followed.
  static func status(at path: String, _ status: inout stat) -> Int32 {
    SlowWork.begins(.file)
    return unsafe lstat(path, &status)
  }

  static func status(of descriptor: Int32, _ status: inout stat) -> Int32 { unsafe fstat(descriptor, &status) }

  /// Reads into what is left of an array from `start` on.
  static func read(_ descriptor: Int32, into bytes: inout [UInt8], from start: Int) -> Int {
    unsafe bytes.withUnsafeMutableBytes { buffer in
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
      return unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
    }
  }

  /// Writes what is left of an array from `start` on.
  static func write(_ descriptor: Int32, _ bytes: [UInt8], from start: Int) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
      return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
    }
  }
}

/// A call to the kernel that failed, and why.
struct KernelError: Sendable {
  let number: Int32

  /// Why the latest call of this thread failed.
  static var latest: KernelError { KernelError(number: errno) }

  /// The kernel's words for it.
  var reason: String {
    var text = [CChar](repeating: 0, count: 128)
    // `unsafe`: the call is told the array's size, and ends what it writes there with a zero.
    return unsafe text.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, unsafe strerror_r(number, start, buffer.count) == 0 else {
        return "error \(number)"
      }
      return unsafe String(cString: start)
    }
  }

  /// Whether a folder with files in it has the name already.
  var isFolderThere: Bool { number == ENOTEMPTY || number == EEXIST }

  /// The refusal that this is of something that we attempted.
  func refusal(_ attempt: String) -> AuthError {
    // A link where there must be none is no broken disk: somebody put it there.
    if number == ELOOP { return AuthError(.providerUnsafe, "cannot \(attempt): it is a symbolic link") }
    return AuthError(.providerUnavailable, "cannot \(attempt): \(reason)")
  }
}
