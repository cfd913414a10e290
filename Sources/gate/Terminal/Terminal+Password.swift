import GatehouseBase
import GatehouseSystem

extension Terminal {
  /// Asks for a secret, which is not shown. However this ends, the terminal shows later input again.
  ///
  /// - Parameters:
  ///   - what: the name of the secret, for the errors.
  ///   - options: the options to use instead of a terminal, for the errors.
  func askSecretly(
    _ question: String, for what: String = "password",
    orGiveBy options: String = "--password-stdin or --password-file"
  ) throws(AuthError) -> Secret {
    let typed: [UInt8]
    do throws(SystemError) { typed = try line(question, isHidden: true) } catch {
      throw AuthError(
        .invalidArgument, "the terminal cannot be used (\(error)); use \(options)")
    }
    return try Self.secret(in: typed, for: what, orGiveBy: options)
  }

  /// Returns the secret in what was typed or pasted at a hidden prompt.
  static func secret(
    in typed: [UInt8], for what: String = "password", orGiveBy options: String = "--password-stdin or --password-file"
  ) throws(AuthError) -> Secret {
    guard let end = typed.firstIndex(of: UInt8(ascii: "\n")) else {
      throw AuthError(.cancelled, "no \(what) was given")
    }
    // A line terminator that was copied with the line does not begin a second line.
    let rest = typed[(end + 1)...].filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard rest.withoutPasteMarks.isEmpty else {
      throw AuthError(
        .invalidArgument, "more than one line was typed or pasted, and a \(what) is one line; nothing was done with it")
    }
    guard end < Terminal.longestLine else {
      throw AuthError(
        .invalidArgument,
        "a terminal gives at most \(Terminal.longestLine - 1) bytes of a line for certain, and the rest may be lost; "
          + "use \(options) for one so long")
    }
    guard let text = String(validating: Array(typed[..<end]).withoutPasteMarks, as: UTF8.self) else {
      throw AuthError(.invalidArgument, "the \(what) is not UTF-8")
    }
    guard !text.isEmpty else { throw AuthError(.missingPassword, "no \(what) was given: the line is empty") }
    return Secret(text)
  }
}
