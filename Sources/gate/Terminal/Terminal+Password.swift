import GatehouseBase
import GatehouseSystem

extension Terminal {
  /// Asks for a secret, which is not shown; the terminal shows again what is typed however this ends.
  func askSecretly(_ question: String) throws(AuthError) -> Secret {
    let typed: [UInt8]
    do throws(SystemError) { typed = try hiddenLine(question) } catch {
      throw AuthError(
        .invalidArgument, "the terminal cannot be used (\(error)); give the password by standard input or a file")
    }
    guard typed.last == UInt8(ascii: "\n") else { throw AuthError(.cancelled, "no password was given") }
    guard let text = String(validating: typed.dropLast().withoutPasteMarks, as: UTF8.self) else {
      throw AuthError(.invalidArgument, "the password is not UTF-8")
    }
    return Secret(text)
  }
}
