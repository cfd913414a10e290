import ArgumentParser
import GatehouseSystem

/// How the program words the parser's answers.
enum CommandUsage {
  /// What the parser says of an error: a help text, the version, a script, or what is wrong with the arguments.
  ///
  /// - Parameter command: the command that ran, if the arguments could be parsed; then its own usage is told. The
  ///   parser would tell the program's.
  static func message(for error: any Error, of command: (any ParsableCommand.Type)?) -> String {
    // As if the screen were wide: the parser cannot lay out a usage, nor anything on a narrow one.
    let message = Gate.fullMessage(for: error, columns: 100_000)
    if isHelp(message) { return message.laidOut(at: InheritedDescriptor.output.helpColumns) }
    guard let error = error as? ValidationError, let command else { return narrowed(message) }
    let usage = Gate.usageString(for: command)
    let names = usage.split(separator: " ").prefix { $0.first?.isLetter == true }.joined(separator: " ")
    return narrowed("Error: \(error.message)\nUsage: \(usage)\n  See '\(names) --help' for more information.")
  }

  static func isHelp(_ message: String) -> Bool { message.hasPrefix("OVERVIEW: ") }

  /// On a terminal the usage and the reason are laid out; a program gets each of them on one line.
  private static func narrowed(_ message: String) -> String {
    guard let columns = InheritedDescriptor.error.columns else { return message }
    return message.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("Usage: ")
        ? String(line).laidOut(at: max(columns, 20)) : String(line).fitted(to: columns)
    }.joined(separator: "\n")
  }
}

extension InheritedDescriptor {
  /// How long a line of a help text is: as the user says (`COLUMNS`), else as the terminal, else 80 characters.
  var helpColumns: Int {
    let given = GivenText.variable("COLUMNS").flatMap { Int($0) }
    return max(given.flatMap { $0 > 0 ? $0 : nil } ?? columns ?? 80, 20)
  }
}
