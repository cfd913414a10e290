import GatehouseBase
import Glibc

/// The terminal that this program runs on, whatever its standard input and output are.
package struct Terminal: ~Copyable, Sendable {
  static let path = "/dev/tty"
  let descriptor: Int32

  /// How many bytes of a line come from a terminal at most, without the line's end. Linux drops what is typed beyond
  /// (termios(3), canonical mode), and nothing tells that: a line of so many bytes may have been longer.
  package static let longestLine = 4095

  /// `nil` when there is no terminal: in a pipe, a service, a container.
  package init?() {
    let path = Self.path
    guard
      let descriptor = try? systemCall(
        "open", path,
        body: {
          // `unsafe`: the kernel reads the string up to its zero byte. Reading waits for a person.
          unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        })
    else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The bytes that are typed up to the line's end: a terminal returns one line at a time.
  func readLine() throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.longestLine + 1)
    let count = try systemCall("read", Self.path) {
      // `unsafe`: the pointer is used for this call, and the kernel writes at most the buffer's count.
      unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
    }
    return Array(bytes.prefix(count))
  }
}
