import GatehouseBase
import Glibc

/// The terminal that this program runs on, whatever its standard input and output are.
package struct Terminal: ~Copyable, Sendable {
  private static let path = "/dev/tty"
  private let descriptor: Int32

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

  package func write(_ text: String) throws(SystemError) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      // `unsafe`: the pointer is used for this call, and the kernel reads at most the buffer's count.
      bytes = try bytes.dropFirst(
        systemCall("write", Self.path) {
          unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        })
    }
  }

  /// The bytes that are typed up to the line's end: a terminal returns one line at a time, at most 4096 bytes of it.
  package func readLine() throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = try systemCall("read", Self.path) {
      // `unsafe`: the pointer is used for this call, and the kernel writes at most the buffer's count.
      unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
    }
    return Array(bytes.prefix(count))
  }

  /// Whether the terminal shows what is typed, as it is now; the caller hides it and restores it.
  package func echo() throws(SystemError) -> TerminalEcho {
    var settings = termios()
    // `unsafe`: the kernel writes one `termios`, and this is one.
    try systemCall("tcgetattr", Self.path) { unsafe tcgetattr(descriptor, &settings) }
    return TerminalEcho(descriptor: descriptor, before: settings)
  }
}

/// Hides what is typed on a terminal, and shows it again. Use only while the `Terminal` is open.
package struct TerminalEcho: Sendable {
  fileprivate let descriptor: Int32
  fileprivate let before: termios

  /// From now on the terminal does not show what is typed.
  package func hide() throws(SystemError) {
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO)
    try set(hidden)
  }

  /// The terminal is again as it was. Any thread, also when a signal came.
  package func restore() { try? set(before) }

  private func set(_ settings: termios) throws(SystemError) {
    var settings = settings
    // `unsafe`: the kernel reads one `termios`, and this is one.
    try systemCall("tcsetattr", "/dev/tty") { unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) }
  }
}
