import GatehouseBase
import GatehouseSystem

extension Terminal {
  /// Asks for a code, which is shown as it is typed: it is good once.
  ///
  /// - Parameter options: the options that name another way, for the errors.
  func askForCode(_ question: String, orGiveBy options: String) throws(AuthError) -> String {
    let typed: [UInt8]
    do throws(SystemError) { typed = try line(question) } catch {
      throw AuthError(.invalidArgument, "the terminal cannot be used (\(error)); use \(options)")
    }
    guard typed.last == UInt8(ascii: "\n") else { throw AuthError(.cancelled, "no code was given") }
    return try typed.dropLast().code
  }
}

extension Sequence<UInt8> {
  /// The code that a person typed or pasted, or that a program wrote: without the spaces around it.
  var code: String {
    get throws(AuthError) {
      guard let text = String(validating: Array(self).withoutPasteMarks, as: UTF8.self) else {
        throw AuthError(.invalidArgument, "the code is not UTF-8")
      }
      let code = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
      guard !code.isEmpty else { throw AuthError(.missingVerificationCode, "no code was given: the line is empty") }
      return String(code)
    }
  }
}
