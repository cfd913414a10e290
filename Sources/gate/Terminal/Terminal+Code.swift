import GatehouseBase
import GatehouseSystem

extension Terminal {
  /// Asks for a code and uses it. If the code is wrong or the line is empty, it asks again, three times in all at most.
  /// The provider counts the tries as well.
  ///
  /// - Parameters:
  ///   - options: the options to use instead of a terminal, for the errors.
  ///   - advice: what to tell the person about a wrong code.
  func askForCode<Value>(
    _ question: String, orGiveBy options: String, ifWrong advice: String,
    _ use: (String) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    var left = 3
    while true {
      left -= 1
      do throws(AuthError) { return try await use(try askForCode(question, orGiveBy: options)) } catch {
        switch error.code {
        case .missingVerificationCode where left > 0:
          StandardError.say("no code was given; type it, or stop with Ctrl-C")
        case .invalidVerificationCode where left > 0: StandardError.say(advice)
        default: throw error
        }
      }
    }
  }

  /// Asks for a code. It is shown as it is typed, because it works only once.
  ///
  /// - Parameter options: the options to use instead of a terminal, for the errors.
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
  /// The code in a line that a person typed or pasted, or that a program wrote, without spaces around it.
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
