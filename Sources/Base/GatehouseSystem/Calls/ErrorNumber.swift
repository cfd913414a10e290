import Glibc

/// The number of a system error (`errno`). Those that callers distinguish have names.
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
  /// `ENOTDIR`: also the error of opening a link as a folder.
  package static let notAFolder = Self(rawValue: ENOTDIR)
  /// `EISDIR`
  package static let isAFolder = Self(rawValue: EISDIR)
  /// `ELOOP`: also the error of opening a link without following links.
  package static let tooManyLinks = Self(rawValue: ELOOP)
  /// `ENXIO`: a pipe without a reader was opened for writing, or a socket was opened as a file.
  package static let noReader = Self(rawValue: ENXIO)
  /// `EAGAIN`: the call would have blocked.
  package static let wouldWait = Self(rawValue: EAGAIN)
  /// `EINTR`: a signal interrupted the call. This module repeats such calls.
  package static let interrupted = Self(rawValue: EINTR)
  /// `ECONNABORTED`: the peer closed the connection before it was accepted.
  package static let connectionAborted = Self(rawValue: ECONNABORTED)
  /// `EINVAL`
  package static let invalid = Self(rawValue: EINVAL)
  /// `ENOSYS`
  package static let notImplemented = Self(rawValue: ENOSYS)
  /// `ENOSPC`
  package static let diskFull = Self(rawValue: ENOSPC)
  /// `EDQUOT`: the user's disk quota is exhausted.
  package static let quotaExceeded = Self(rawValue: EDQUOT)
  /// `EROFS`: the file system is mounted read-only.
  package static let readOnly = Self(rawValue: EROFS)
  /// `EPERM`
  package static let notPermitted = Self(rawValue: EPERM)
  /// `EPIPE`: the other end has no reader.
  package static let brokenPipe = Self(rawValue: EPIPE)
  /// `EADDRINUSE`
  package static let addressInUse = Self(rawValue: EADDRINUSE)
  /// `EADDRNOTAVAIL`: the address does not belong to this machine.
  package static let addressNotAvailable = Self(rawValue: EADDRNOTAVAIL)
  /// `ECONNREFUSED`: no program listens at the address.
  package static let connectionRefused = Self(rawValue: ECONNREFUSED)
  /// `ETIMEDOUT`: also the error of a wait that this module has ended.
  package static let timedOut = Self(rawValue: ETIMEDOUT)
  /// `ENOTSOCK`
  package static let notASocket = Self(rawValue: ENOTSOCK)
  /// `ENAMETOOLONG`
  package static let nameTooLong = Self(rawValue: ENAMETOOLONG)
  /// `EIO`
  package static let inputOutput = Self(rawValue: EIO)
  /// `EBADF`
  package static let notOpen = Self(rawValue: EBADF)

  /// The system's description of the error: `No space left on device`.
  package var words: String {
    var text = [CChar](repeating: 0, count: 128)
    // `unsafe`: the call gets the array's size, and terminates the text with a zero byte.
    return unsafe text.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, unsafe strerror_r(rawValue, start, buffer.count) == 0 else {
        return "Unknown error"
      }
      return unsafe String(cString: start)
    }
  }
}
