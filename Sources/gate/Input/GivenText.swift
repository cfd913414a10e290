import GatehouseSystem

/// The arguments and the environment variables, which must be UTF-8. Swift replaces invalid bytes, and the text would
/// then name another account or another file. Anything that is not UTF-8 ends the program as wrong usage, with status
/// 2.
enum GivenText {
  static func requireArguments() {
    let arguments = CurrentProcess.arguments.enumerated().dropFirst().map { index, argument in
      text(argument, of: "argument \(index) of gate")
    }
    // The parser would take the next argument for the value, such as the token for the audience, or would take an empty
    // value for the home. Arguments after `--` are not for gate.
    for argument in arguments.prefix(while: { $0 != "--" }) where isEmptyOption(argument) {
      refuse("\(argument) has no value; write it behind the sign, or leave the option out")
    }
  }

  private static func isEmptyOption(_ argument: String) -> Bool {
    guard argument.hasPrefix("--"), argument.last == "=" else { return false }
    return argument.dropFirst(2).dropLast().allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") }
  }

  static func variable(_ name: String) -> String? {
    CurrentProcess.variable(name).map { text($0, of: "the variable \(name)") }
  }

  private static func text(_ bytes: [UInt8], of name: String) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let shown = bytes.prefix(80).map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : hex($0) }.joined()
    let message = "\(name) is not UTF-8: \(shown)\(bytes.count > 80 ? "…" : "")"
    refuse(message)
  }

  /// Ends the program with a message about wrong usage.
  static func refuse(_ message: String) -> Never {
    StandardError.write(line: message.fittedToErrors)
    FailureAnswer(usage: message).write(ifAskedBy: Array(CommandLine.arguments.dropFirst()))
    StandardError.finish()
    CurrentProcess.exit(ExitStatus.usage)
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16, uppercase: true)
  }
}
