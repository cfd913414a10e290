import GatehouseBase
import GatehouseSystem

extension Terminal {
  /// Asks for a line and does not show it. The terminal shows again what is typed when this returns, throws, or when a
  /// signal ends the program meanwhile.
  func askSecretly(_ question: String) throws(AuthError) -> Secret {
    let typed: [UInt8]
    do throws(SystemError) { typed = try hiddenLine(question) } catch {
      throw AuthError(
        .invalidArgument, "the terminal cannot be used (\(error)); give the password by standard input or a file")
    }
    guard typed.last == UInt8(ascii: "\n") else { throw AuthError(.cancelled, "no password was given") }
    guard let text = String(validating: typed.dropLast(), as: UTF8.self) else {
      throw AuthError(.invalidArgument, "the password is not UTF-8")
    }
    return Secret(text)
  }

  private func hiddenLine(_ question: String) throws(SystemError) -> [UInt8] {
    let echo = try echo()
    let signals = EndSignals {
      echo.restore()
      CurrentProcess.exit(1)
    }
    defer {
      echo.restore()
      signals.cancel()
      try? write("\n")
    }
    try echo.hide()
    try write(question)
    return try readLine()
  }
}
