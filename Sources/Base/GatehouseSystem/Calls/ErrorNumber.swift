import Glibc

/// The number of a system error (`errno`). Those that callers distinguish have a name.
package struct ErrorNumber: RawRepresentable, Sendable, Hashable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// `ENOENT`
  package static let noSuchFile = Self(rawValue: ENOENT)
  /// `EEXIST`
  package static let exists = Self(rawValue: EEXIST)
  /// `EACCES`
  package static let accessDenied = Self(rawValue: EACCES)
  /// `ENOTEMPTY`
  package static let notEmpty = Self(rawValue: ENOTEMPTY)
  /// `ENOTDIR`: also what opening a link as a folder returns.
  package static let notAFolder = Self(rawValue: ENOTDIR)
  /// `EISDIR`
  package static let isAFolder = Self(rawValue: EISDIR)
  /// `ELOOP`: also what opening a link returns when links are not followed.
  package static let tooManyLinks = Self(rawValue: ELOOP)
  /// `ENXIO`: a pipe that no program reads was opened for writing, or a socket was opened as a file.
  package static let noReader = Self(rawValue: ENXIO)
  /// `EAGAIN`: the call would have waited.
  package static let wouldWait = Self(rawValue: EAGAIN)
  /// `EINTR`: a signal came. The calls of this module are repeated.
  package static let interrupted = Self(rawValue: EINTR)
  /// `ECONNABORTED`: the other end has gone before it was accepted.
  package static let connectionAborted = Self(rawValue: ECONNABORTED)
  /// `EINVAL`
  package static let invalid = Self(rawValue: EINVAL)
  /// `ENOSYS`
  package static let notImplemented = Self(rawValue: ENOSYS)
  /// `ENOSPC`
  package static let diskFull = Self(rawValue: ENOSPC)
  /// `EDQUOT`: the user's part of the disk is full.
  package static let quotaExceeded = Self(rawValue: EDQUOT)
  /// `EROFS`: the file system is mounted for reading only.
  package static let readOnly = Self(rawValue: EROFS)
  /// `EPERM`
  package static let notPermitted = Self(rawValue: EPERM)
  /// `EPIPE`: no program reads the other end.
  package static let brokenPipe = Self(rawValue: EPIPE)
  /// `EADDRINUSE`
  package static let addressInUse = Self(rawValue: EADDRINUSE)
  /// `EADDRNOTAVAIL`: the address is none of this machine's.
  package static let addressNotAvailable = Self(rawValue: EADDRNOTAVAIL)
  /// `ECONNREFUSED`: no program listens there.
  package static let connectionRefused = Self(rawValue: ECONNREFUSED)
  /// `ENOTSOCK`
  package static let notASocket = Self(rawValue: ENOTSOCK)
  /// `ENAMETOOLONG`
  package static let nameTooLong = Self(rawValue: ENAMETOOLONG)
  /// `EIO`
  package static let inputOutput = Self(rawValue: EIO)

  /// The system's words: `No space left on device`.
  package var words: String {
    var text = [CChar](repeating: 0, count: 128)
    // `unsafe`: the call gets the array's size, and ends the text with a zero byte.
    return unsafe text.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, unsafe strerror_r(rawValue, start, buffer.count) == 0 else {
        return "Unknown error"
      }
      return unsafe String(cString: start)
    }
  }
}
