import Foundation
import Testing

/// A session at a terminal that a document shows, in a block of `console`. A line with `$ ` is typed, and so are the
/// lines that go on after a `\`. The others are printed. `…` stands for any text in a line, and alone for any lines.
struct FirstSession: Sendable, CustomTestStringConvertible {
  struct Command: Sendable {
    var typed: String
    var printed: [String] = []

    /// Whether another command is typed while this one runs.
    var isInBackground: Bool { typed.hasSuffix("&") }
  }

  let page: String
  let commands: [Command]

  var testDescription: String { page }

  /// The session of a page, if it has one.
  init?(page: String, _ text: String) {
    guard let block = text.firstMatch(of: /(?s)```console\n(.*?)```/)?.1 else { return nil }
    self.page = page
    var commands: [Command] = []
    for line in block.split(separator: "\n") {
      if line.hasPrefix("$ ") {
        commands.append(Command(typed: String(line.dropFirst(2))))
      } else if let last = commands.last, last.typed.hasSuffix("\\"), last.printed.isEmpty {
        commands[commands.count - 1].typed += "\n" + line
      } else if !commands.isEmpty {
        commands[commands.count - 1].printed.append(String(line))
      }
    }
    self.commands = commands
  }

  /// A script that types the commands, with a line `@@ number` before what each prints. A command in the background is
  /// waited for until it has printed as many lines as the page shows.
  var script: String {
    commands.enumerated().map { number, command in
      let begin = "echo '@@ \(number)'\n"
      guard command.isInBackground else { return begin + command.typed }
      let log = "\"$HOME/.printed-\(number)\""
      return begin + command.typed.dropLast().trimmingCharacters(in: .whitespaces) + " > \(log) 2>&1 &\n"
        + "until [ $(cat \(log) 2> /dev/null | wc -l) -ge \(command.printed.count) ] || ! kill -0 $! 2> /dev/null\n"
        + "do sleep 0.05; done\ncat \(log)"
    }.joined(separator: "\n")
  }

  /// Returns the commands that printed another text than the page shows, with that text.
  func differences(to output: String) -> [String] {
    let parts = output.split(separator: /(?m)^@@ \d+\n/, omittingEmptySubsequences: false).dropFirst()
    guard parts.count == commands.count else { return ["\(parts.count) of \(commands.count) commands ran: \(output)"] }
    return zip(commands, parts).compactMap { command, part in
      let pattern = command.printed.map { line in
        line == "…"
          ? "(?:.*\n)*"
          : NSRegularExpression.escapedPattern(for: line).replacingOccurrences(of: "…", with: ".*") + "\n"
      }.joined()
      let isShown = part.range(of: "^\(pattern)$", options: .regularExpression) == part.startIndex..<part.endIndex
      return isShown ? nil : "\(command.typed) printed:\n\(part)"
    }
  }
}

/// Pages begin with a session that a reader can type.
struct FirstSessionTests {
  /// The pages that begin with a session. Others begin with a program, or are for contributors.
  private static let pages = [
    "accounts", "admin", "agent", "command", "configuration", "interop", "provider", "rest", "server", "tokens",
    "watch",
  ]

  @Test(
    .enabled("curl is not installed") { FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") },
    arguments: pages)
  func `a page begins with a session that prints what the page shows`(page: String) async throws {
    let text = try Repository.text(of: "Docs/\(page).md")
    let session = try #require(FirstSession(page: page, text), "Docs/\(page).md has no block of console")
    #expect(!session.commands.isEmpty)
    try await GateHome.withNone { home in
      let port = 20_000 + (Self.pages.firstIndex(of: page) ?? 0) * 97 + Int.random(in: 0..<97)
      var child = ChildProcess(
        "/bin/bash",
        [
          "-c",
          "exec 2>&1\ntrap 'kill $(jobs -p) 2> /dev/null' EXIT\n" + session.script.replacing("9099", with: "\(port)"),
        ])
      child.folder = home.folder
      child.environment = home.environment.merging(["HOME": home.folder, "XDG_RUNTIME_DIR": home.folder]) { $1 }
      child.environment["GATEHOUSE_HOME"] = nil
      let outcome = try await child.run()
      let output = outcome.output.replacing("\(port)", with: "9099").replacing(home.folder, with: "/home/ada")
      #expect(session.differences(to: output) == [])
    }
  }

  @Test func `a session is read from a page, and compared`() throws {
    let text = """
      Text.

      ```console
      $ serve &
      at 9099
      $ ask \\
          for it
      one … three
      …
      last
      $ quiet
      ```
      """
    let session = try #require(FirstSession(page: "", text))
    #expect(session.commands.map(\.typed) == ["serve &", "ask \\\n    for it", "quiet"])
    #expect(session.commands.map(\.printed) == [["at 9099"], ["one … three", "…", "last"], []])
    func differs(_ output: String) -> Bool { !session.differences(to: output).isEmpty }
    #expect(!differs("@@ 0\nat 9099\n@@ 1\none two three\nfour\nfive\nlast\n@@ 2\n"))
    #expect(!differs("@@ 0\nat 9099\n@@ 1\none two three\nlast\n@@ 2\n"))
    #expect(differs("@@ 0\nat 9099\n@@ 1\none two three\nfour\n@@ 2\n"))
    #expect(differs("@@ 0\nat 9099\n@@ 1\none two three\nlast\n@@ 2\nnoise\n"))
    #expect(differs("@@ 0\nat 9099\n@@ 1\none two three\nlast\n"))
  }
}
