import GatehouseSystem

/// The arguments and the environment's variables, which must be UTF-8. With their bytes replaced, as Swift does it,
/// they would name another account or another file. What is not UTF-8 ends the program as wrong usage, with status 2.
enum GivenText {
  static func requireArguments() {
    for (index, argument) in CurrentProcess.arguments.enumerated().dropFirst() {
      _ = text(argument, of: "argument \(index) of gate")
    }
  }

  static func variable(_ name: String) -> String? {
    CurrentProcess.variable(name).map { text($0, of: "the variable \(name)") }
  }

  private static func text(_ bytes: [UInt8], of name: String) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let shown = bytes.prefix(80).map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : hex($0) }.joined()
    let message = "\(name) is not UTF-8: \(shown)\(bytes.count > 80 ? "…" : "")"
    StandardError.write(line: message)
    FailureAnswer(usage: message).write(ifAskedBy: Array(CommandLine.arguments.dropFirst()))
    CurrentProcess.exit(ExitStatus.usage)
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16, uppercase: true)
  }
}
