import GatehouseBase
import GatehouseSystem

/// The input of a command: standard input or a file. It never reads more than the command can use, and waits for input
/// only on standard input.
enum Input {
  case standard
  case file(String)

  /// Reads all bytes. Throws if there are more than `limit` of them, or if they cannot be read.
  func bytes(limit: Int) throws(AuthError) -> [UInt8] {
    guard let bytes = try bytes(atMost: limit) else { throw tooLong(limit) }
    return bytes
  }

  /// Reads all text, without a line end at the end.
  ///
  /// - Parameter refusal: the error for input of more than `limit` bytes, if the caller has one of its own.
  func line(limit: Int, orElse refusal: AuthError? = nil) throws(AuthError) -> String {
    let tooLong = refusal ?? tooLong(limit)
    guard var bytes = try bytes(atMost: limit + 2)?[...] else { throw tooLong }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard bytes.count <= limit else { throw tooLong }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw AuthError(.invalidArgument, "\(name) is not UTF-8")
    }
    return text
  }

  /// Reads all lines, without their line ends (`\n` or `\r\n`).
  func lines(limit: Int) throws(AuthError) -> [String] {
    try line(limit: limit).utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
    }
  }

  /// Reads a secret, such as a password. It may not have several lines, because such a secret could not be typed at a
  /// prompt and is most likely a mistake; neither may it be empty.
  ///
  /// - Parameter what: the name of the secret, for the errors.
  func secret(_ what: String = "password", limit: Int) throws(AuthError) -> Secret {
    let lines = try lines(limit: limit)
    guard lines.count == 1 else {
      throw AuthError(.invalidArgument, "\(name) has more than one line; a \(what) is one line")
    }
    guard !lines[0].isEmpty else { throw AuthError(.missingPassword, "\(name) has no \(what): it is empty") }
    return Secret(lines[0])
  }

  /// Reads all bytes; returns `nil` if there are more than `limit` of them.
  private func bytes(atMost limit: Int) throws(AuthError) -> [UInt8]? {
    do throws(SystemError) {
      if let descriptor { return try descriptor.readAll(limit: limit) }
      let file = try OpenFile(name)
      if try file.status().kind != .other { return try file.readAll(limit: limit) }
    } catch { throw unreadable(error) }
    throw AuthError(.invalidArgument, "\(name) is a pipe or a device; name a plain file, or /dev/stdin")
  }

  /// Waits for standard input, and returns the bytes that have arrived; none at its end.
  static func available(atMost most: Int) throws(AuthError) -> [UInt8] {
    do throws(SystemError) { return try InheritedDescriptor.input.read(atMost: most) } catch {
      throw Input.standard.unreadable(error)
    }
  }

  private func unreadable(_ error: SystemError) -> AuthError {
    // `makeStandardOnesSafe()` has opened a closed one for writing.
    let isClosed = descriptor != nil && error.number == .notOpen
    return AuthError(.storeUnreadable, isClosed ? "\(name) is closed" : "\(name) cannot be read: \(error)")
  }

  private func tooLong(_ limit: Int) -> AuthError {
    AuthError(.invalidArgument, "\(name) holds more than \(limit) bytes")
  }

  /// The descriptor of an input that the caller has opened for this program: standard input, or the pipe of `<(…)` in a
  /// shell.
  private var descriptor: InheritedDescriptor? {
    switch self {
    case .standard: .input
    case .file(let path): InheritedDescriptor(path: path)
    }
  }

  private var name: String {
    switch self {
    case .standard: "standard input"
    case .file(let path): path
    }
  }
}
