import ArgumentParser
import GatehouseSystem

/// The wording of what the argument parser reports.
enum CommandUsage {
  /// Returns the parser's message for an error: a help text, the version, a completion script, or what is wrong with
  /// the arguments.
  ///
  /// - Parameter command: the command that ran, if the arguments could be parsed. The message then has its usage; by
  ///   itself the parser would give the program's usage.
  static func message(for error: any Error, of command: (any ParsableCommand.Type)?) -> String {
    // The parser formats for a very wide screen: it cannot lay out a usage, and cannot lay out anything on a narrow
    // screen.
    let message = Gate.fullMessage(for: error, columns: 100_000)
    if isHelp(message) { return message.laidOut(at: InheritedDescriptor.output.helpColumns) }
    guard let error = error as? ValidationError, let command else { return narrowed(withArgumentsShown(message)) }
    let usage = Gate.usageString(for: command)
    // The arguments of a usage of its own are in capitals, and its other lines begin below the first one.
    let names = usage.split(whereSeparator: \.isWhitespace).prefix { $0.first?.isLowercase == true }
      .joined(separator: " ")
    let lines = usage.replacing("\n", with: "\n" + Self.indent)
    return narrowed("Error: \(error.message)\nUsage: \(lines)\n  See '\(names) --help' for more information.")
  }

  /// Escapes the arguments that the parser repeats unchanged in its message, so that a terminal executes nothing in
  /// them and each is on one line.
  private static func withArgumentsShown(_ message: String) -> String {
    // The parser may repeat an option's value alone. Replace the longest first: one text may be a part of another.
    let texts = CommandLine.arguments.dropFirst().flatMap { argument in
      [argument, argument.split(separator: "=", maxSplits: 1).last.map(String.init) ?? argument]
    }
    return texts.filter { $0.shown != $0 }.sorted { $0.utf8.count > $1.utf8.count }.reduce(message) { message, text in
      message.replacing(text, with: text.shown)
    }.printable
  }

  static func isHelp(_ message: String) -> Bool { message.hasPrefix("OVERVIEW: ") }

  private static let indent = String(repeating: " ", count: "Usage: ".count)

  /// Lays out the usage and the reason for a terminal. For a program each of them stays on one line.
  private static func narrowed(_ message: String) -> String {
    guard let columns = InheritedDescriptor.error.columns else { return message }
    return message.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("Usage: ") || line.hasPrefix(Self.indent + "gate ")
        ? String(line).laidOut(at: max(columns, 20)) : String(line).fitted(to: columns)
    }.joined(separator: "\n")
  }
}

extension InheritedDescriptor {
  /// The length of a line in a help text: what the user says (`COLUMNS`), else the terminal's width, else 80
  /// characters.
  var helpColumns: Int {
    let given = GivenText.variable("COLUMNS").flatMap { Int($0) }
    return max(given.flatMap { $0 > 0 ? $0 : nil } ?? columns ?? 80, 20)
  }
}
