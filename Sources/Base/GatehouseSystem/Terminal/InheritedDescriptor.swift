import Glibc

/// A descriptor that this program was started with: standard input, output or error, or the pipe of `<(…)` in a shell.
/// It is never closed. Calls wait for the other end, even if that end has set `O_NONBLOCK`.
package struct InheritedDescriptor: Sendable, Hashable {
  private let number: Int32
  /// The name, for errors.
  private let name: String

  package static let input = Self(number: STDIN_FILENO, name: "standard input")
  package static let output = Self(number: STDOUT_FILENO, name: "standard output")
  package static let error = Self(number: STDERR_FILENO, name: "standard error")

  private init(number: Int32, name: String) {
    self.number = number
    self.name = name
  }

  /// The descriptor of a path such as `/dev/stdin`, `/dev/fd/7` or `/proc/self/fd/7`; `nil` for every other path.
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

  /// Whether this program was started with the descriptor and may write to it. Descriptors that it opened itself are
  /// closed in programs that it starts.
  package var isForWriting: Bool {
    let flags = fcntl(number, F_GETFD)
    return flags >= 0 && flags & FD_CLOEXEC == 0 && fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY
  }

  /// Whether it is a terminal.
  package var isTerminal: Bool { isatty(number) == 1 }

  /// The number of characters in a line of the terminal; `nil` if this is not a terminal, or its size is unknown.
  package var columns: Int? { size?.columns }

  /// The terminal's size; `nil` if this is not a terminal, or its size is unknown. If only the number of rows is
  /// unknown, it is `Int.max`.
  package var size: (columns: Int, rows: Int)? {
    var size = winsize()
    // `unsafe`: the kernel writes one `winsize`, to a variable of that type.
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : .max)
  }

  /// Waits for input, and returns up to `most` bytes; none at the end of input.
  package func read(atMost most: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: most)
    let count = try waiting(for: POLLIN) { () throws(SystemError) in
      try systemCall("read", name) {
        // `unsafe`: the pointer is only used during this call, and the kernel writes at most the buffer's count.
        unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(number, $0.baseAddress, $0.count) }
      }
    }
    bytes.removeLast(most - count)
    return bytes
  }

  /// Reads to the end; returns `nil` if there are more than `limit` bytes.
  package func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let some = try read(atMost: min(64 << 10, limit + 1 - bytes.count))
      if some.isEmpty { return bytes }
      bytes += some
    }
    return nil
  }

  /// Writes all bytes; they have been passed to the kernel when this returns.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      written += try waiting(for: POLLOUT) { () throws(SystemError) in
        try systemCall("write", name) {
          // `unsafe`: the pointer is only used during this call, and the kernel reads at most the count of the rest.
          unsafe bytes[written...].withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
        }
      }
    }
  }

  /// Repeats a call that would have blocked, after waiting until the descriptor is ready.
  private func waiting(for event: Int32, _ call: () throws(SystemError) -> Int) throws(SystemError) -> Int {
    while true {
      do throws(SystemError) { return try call() } catch { guard error.number == .wouldWait else { throw error } }
      var descriptor = pollfd(fd: number, events: Int16(event), revents: 0)
      // `unsafe`: the kernel accesses one `pollfd`, a variable of that type.
      try systemCall("poll", name) { unsafe poll(&descriptor, 1, -1) }
    }
  }

  /// Waits until the output has no reader: the other end of a pipe or socket was closed, or the terminal was closed.
  /// Never returns for a file or a device.
  package func waitForEndOfReader() throws(SystemError) {
    var descriptor = pollfd(fd: number, events: 0, revents: 0)
    repeat {
      // `unsafe`: the kernel accesses one `pollfd`, a variable of that type.
      try systemCall("poll", name) { unsafe poll(&descriptor, 1, -1) }
      if Int32(descriptor.revents) & POLLNVAL != 0 { throw SystemError(call: "poll", path: name, number: .invalid) }
    } while Int32(descriptor.revents) & (POLLERR | POLLHUP) == 0
  }

  /// Prevents files from being opened with the numbers of standard input, output and error if the caller closed these:
  /// output to "standard output" would be written to such a file. Writing to a closed one remains an error.
  ///
  /// Also makes a write to a closed pipe an error; otherwise `SIGPIPE` would terminate the program.
  package static func makeStandardOnesSafe() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // `unsafe`: the kernel reads the literal up to its zero byte. Started programs inherit the descriptor.
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
    CurrentProcess.ignoreBrokenPipe()
  }
}
