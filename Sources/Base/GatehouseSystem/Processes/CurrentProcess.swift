import Glibc

/// The calling process.
package enum CurrentProcess {
  package static var id: Int32 { getpid() }

  /// Ends the program immediately, after running its `atexit` handlers.
  package static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

  /// Whether the terminal's keys send their signals to this program's process group.
  package static var hasTerminalKeys: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// The path of the program's executable, with links resolved.
  package static func executable() throws(SystemError) -> String { try executable(of: "self") }

  /// The executable of another process of this user; throws if the process does not exist or belongs to another user.
  package static func executable(of process: Int32) throws(SystemError) -> String {
    try executable(of: "\(process)")
  }

  private static func executable(of process: String) throws(SystemError) -> String {
    let path = "/proc/\(process)/exe"
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try systemCall("readlink", path) { () -> Int in
      // `unsafe`, here and below: the kernel writes at most the given size.
      unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return 0 }
        return unsafe readlink(path, start, buffer.count)
      }
    }
    return text(of: buffer.prefix(count))
  }

  /// The absolute path. Only the working folder is looked up, not the path itself.
  ///
  /// Throws `.noSuchFile` for a relative path if the working folder has been removed, and `.invalid` if the folder's
  /// path is not UTF-8, since no `String` can represent it.
  package static func absolute(_ path: String) throws(SystemError) -> String {
    guard path.utf8.first != UInt8(ascii: "/") else { return path }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    try systemCall("getcwd", path) { () -> Int32 in
      unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        guard let start = buffer.baseAddress, unsafe getcwd(start, buffer.count) != nil else { return -1 }
        return 0
      }
    }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    guard let folder = String(validating: bytes, as: UTF8.self) else {
      throw SystemError(call: "getcwd", path: path, number: .invalid)
    }
    return folder == "/" ? "/\(path)" : "\(folder)/\(path)"
  }

  private static func text(of bytes: ArraySlice<CChar>) -> String {
    String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
