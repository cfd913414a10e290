import GatehouseBase
import GatehouseSystem

extension Terminal {
  /// Asks for a secret, which is not shown; the terminal shows again what is typed however this ends.
  ///
  /// - Parameters:
  ///   - what: what is asked for, for the errors.
  ///   - options: the options that name another way, for the errors.
  func askSecretly(
    _ question: String, for what: String = "password",
    orGiveBy options: String = "--password-stdin or --password-file"
  ) throws(AuthError) -> Secret {
    let typed: [UInt8]
    do throws(SystemError) { typed = try line(question, isHidden: true) } catch {
      throw AuthError(
        .invalidArgument, "the terminal cannot be used (\(error)); use \(options)")
    }
    guard typed.last == UInt8(ascii: "\n") else { throw AuthError(.cancelled, "no \(what) was given") }
    guard typed.count <= Terminal.longestLine else {
      throw AuthError(
        .invalidArgument,
        "a terminal gives at most \(Terminal.longestLine - 1) bytes of a line for certain, and the rest may be lost; "
          + "use \(options) for one so long")
    }
    guard let text = String(validating: typed.dropLast().withoutPasteMarks, as: UTF8.self) else {
      throw AuthError(.invalidArgument, "the \(what) is not UTF-8")
    }
    guard !text.isEmpty else { throw AuthError(.missingPassword, "no \(what) was given: the line is empty") }
    return Secret(text)
  }
}
