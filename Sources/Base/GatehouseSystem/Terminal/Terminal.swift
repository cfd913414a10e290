import GatehouseBase
import Glibc

/// The program's controlling terminal, regardless of its standard input and output.
package struct Terminal: ~Copyable, Sendable {
  static let path = "/dev/tty"
  let descriptor: Int32

  /// The maximum number of bytes of a line from a terminal, without the line's terminator. Linux drops further input
  /// silently (termios(3), canonical mode): a line of this length may have been longer.
  package static let longestLine = 4095

  /// Opens the terminal; `nil` if there is none, as in a pipe, a service or a container.
  package init?() {
    let path = Self.path
    guard
      let descriptor = try? systemCall(
        "open", path,
        body: {
          // `unsafe`: the kernel reads the string up to its zero byte. Reading waits for the user.
          unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        })
    else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Reads the bytes up to the line's end: a terminal returns one line at a time.
  func readLine() throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.longestLine + 1)
    let count = try systemCall("read", Self.path) {
      // `unsafe`: the pointer is only used during this call, and the kernel writes at most the buffer's count.
      unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
    }
    return Array(bytes.prefix(count))
  }
}
