import Foundation
import GatehouseBase
import Glibc

/// The terminal that this program runs on, whatever its standard input and output are.
///
/// The POSIX calls of the command, and every `unsafe` in it, are in this file: Foundation cannot hide what is typed.
struct Terminal: ~Copyable {
  private let descriptor: Int32

  /// `nil` when there is no terminal: in a pipe, a service, a container.
  init?() {
    // `unsafe`: the kernel reads the literal up to its zero byte.
    let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Asks for a line and does not show it. The terminal shows again what is typed when this returns, throws, or when a
  /// signal ends the program meanwhile.
  func askSecretly(_ question: String) throws(AuthError) -> Secret {
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    let before = try attributes()
    let restoring = EndSignals { [descriptor] in
      Self.set(before, on: descriptor)
      exit(1)
    }
    defer {
      Self.set(before, on: descriptor)
      restoring.cancel()
      try? handle.write(contentsOf: Data("\n".utf8))
    }
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO)
    Self.set(hidden, on: descriptor)
    try? handle.write(contentsOf: Data(question.utf8))
    let typed = try line()
    guard typed.last == UInt8(ascii: "\n") else { throw AuthError(.cancelled, "no password was given") }
    guard let text = String(validating: typed.dropLast(), as: UTF8.self) else {
      throw AuthError(.invalidArgument, "the password is not UTF-8")
    }
    return Secret(text)
  }

  /// What is typed up to the line's end: a terminal hands over one line at a time, and at most 4096 bytes of it.
  private func line() throws(AuthError) -> [UInt8] {
    guard let line = Descriptors.read(descriptor, atMost: 4096) else {
      throw AuthError(.invalidArgument, "the terminal cannot be read")
    }
    return line
  }

  private func attributes() throws(AuthError) -> termios {
    var attributes = termios()
    // `unsafe`, here and below: the kernel reads or writes one `termios`, and this is one.
    guard unsafe tcgetattr(descriptor, &attributes) == 0 else {
      throw AuthError(.invalidArgument, "the terminal does not say how it is set")
    }
    return attributes
  }

  private static func set(_ attributes: termios, on descriptor: Int32) {
    var attributes = attributes
    unsafe tcsetattr(descriptor, TCSAFLUSH, &attributes)
  }

  /// Whether people read standard error.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether people read standard output.
  static var showsAnswers: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether people would have to type standard input.
  static var isInput: Bool { isatty(STDIN_FILENO) == 1 }
}

/// The three standard descriptors.
enum Descriptors {
  /// Keeps files from being opened under the numbers of standard input, output and error when the caller closed
  /// these: an answer written to "standard output" would land in one. Writing to a closed one stays an error.
  ///
  /// And has a closed pipe be an error of the write, with a reason, rather than the program's sudden end.
  static func makeSafe() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // `unsafe`: the kernel reads the literal up to its zero byte.
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits for standard input, and takes what there is: no bytes at its end.
  static func readInput(atMost most: Int) throws(AuthError) -> [UInt8] {
    guard let bytes = read(STDIN_FILENO, atMost: most) else {
      throw AuthError(.storeUnreadable, "standard input cannot be read")
    }
    return bytes
  }

  /// Waits for input, and takes what there is; `nil` if the system refuses. `FileHandle` would wait until it has all
  /// that it may take.
  fileprivate static func read(_ descriptor: Int32, atMost most: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: most)
    while true {
      // `unsafe`: the pointer is used for this call, and the kernel writes at most the buffer's count.
      let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 { return Array(bytes.prefix(count)) }
      guard errno == EINTR else { return nil }
    }
  }
}
