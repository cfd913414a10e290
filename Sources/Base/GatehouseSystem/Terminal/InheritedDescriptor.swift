import Glibc

/// A descriptor that this program was started with: standard input, output or error, or the pipe of `<(…)` in a shell.
/// It stays open. Calls wait for its other end, even if the other end has set it to `O_NONBLOCK`.
package struct InheritedDescriptor: Sendable, Hashable {
  private let number: Int32
  /// For errors.
  private let name: String

  package static let input = Self(number: STDIN_FILENO, name: "standard input")
  package static let output = Self(number: STDOUT_FILENO, name: "standard output")
  package static let error = Self(number: STDERR_FILENO, name: "standard error")

  private init(number: Int32, name: String) {
    self.number = number
    self.name = name
  }

  /// The descriptor that a path names: `/dev/stdin`, `/dev/fd/7`, `/proc/self/fd/7`; `nil` for every other path.
  package init?(path: String) {
    if path == "/dev/stdin" {
      self.init(number: STDIN_FILENO, name: path)
      return
    }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      if let number = Int32(path.dropFirst(folder.count)), number >= 0 {
        self.init(number: number, name: path)
        return
      }
    }
    return nil
  }

  /// Whether this program was started with it, and may write to it. What it has opened itself is closed in programs
  /// that it starts.
  package var isForWriting: Bool {
    let flags = fcntl(number, F_GETFD)
    return flags >= 0 && flags & FD_CLOEXEC == 0 && fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY
  }

  /// Whether it is a terminal.
  package var isTerminal: Bool { isatty(number) == 1 }

  /// How many characters a line of the terminal has; `nil` if it is no terminal, or does not say.
  package var columns: Int? { size?.columns }

  /// How large the terminal is; `nil` for what is no terminal, or does not know. One that does not know its rows has as
  /// many as are wanted.
  package var size: (columns: Int, rows: Int)? {
    var size = winsize()
    // `unsafe`: the kernel writes one `winsize`, and this is one.
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : .max)
  }

  /// Waits for input, and returns what there is, at most `most` bytes: none at its end.
  package func read(atMost most: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: most)
    let count = try waiting(for: POLLIN) { () throws(SystemError) in
      try systemCall("read", name) {
        // `unsafe`: the pointer is used for this call, and the kernel writes at most the buffer's count.
        unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(number, $0.baseAddress, $0.count) }
      }
    }
    bytes.removeLast(most - count)
    return bytes
  }

  /// All bytes up to the end; `nil` when they are more than `limit`.
  package func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let some = try read(atMost: min(64 << 10, limit + 1 - bytes.count))
      if some.isEmpty { return bytes }
      bytes += some
    }
    return nil
  }

  /// Writes all bytes; the kernel has them when this returns.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      written += try waiting(for: POLLOUT) { () throws(SystemError) in
        try systemCall("write", name) {
          // `unsafe`: the pointer is used for this call, and the kernel reads at most the rest's count.
          unsafe bytes[written...].withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
        }
      }
    }
  }

  /// Waits until the descriptor is ready, after a call that would have waited.
  private func waiting(for event: Int32, _ call: () throws(SystemError) -> Int) throws(SystemError) -> Int {
    while true {
      do throws(SystemError) { return try call() } catch { guard error.number == .wouldWait else { throw error } }
      var descriptor = pollfd(fd: number, events: Int16(event), revents: 0)
      // `unsafe`: the kernel reads and writes one `pollfd`, and this is one.
      try systemCall("poll", name) { unsafe poll(&descriptor, 1, -1) }
    }
  }

  /// Waits until no program reads what is written here: the other end of a pipe or socket was closed, or the terminal
  /// is gone. Never returns for a file or a device.
  package func waitForEndOfReader() throws(SystemError) {
    var descriptor = pollfd(fd: number, events: 0, revents: 0)
    repeat {
      // `unsafe`: the kernel reads and writes one `pollfd`, and this is one.
      try systemCall("poll", name) { unsafe poll(&descriptor, 1, -1) }
      if Int32(descriptor.revents) & POLLNVAL != 0 { throw SystemError(call: "poll", path: name, number: .invalid) }
    } while Int32(descriptor.revents) & (POLLERR | POLLHUP) == 0
  }

  /// Keeps files from being opened under the numbers of standard input, output and error when the caller closed
  /// these: an answer written to "standard output" would land in one. Writing to a closed one stays an error.
  ///
  /// Also makes a write to a closed pipe an error with a reason; otherwise `SIGPIPE` would end the program.
  package static func makeStandardOnesSafe() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // `unsafe`: the kernel reads the literal up to its zero byte. Programs that are started inherit it.
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
    CurrentProcess.ignoreBrokenPipe()
  }
}
