import Foundation
import GatehouseBase
import Testing

/// The tables that `gate` prints have one line for each row, and no character that a terminal obeys, whatever names
/// people choose.
struct TablesTests {
  private static let hostile =
    "\u{1B}]0;owned\u{7}\u{9B}2J\u{7F}\u{8}\r\n\t\u{85}\u{2028}\u{2029}\u{202E}\u{2066}\u{200B}\u{FEFF}\u{E0041}x"

  /// Whether a terminal shows a character as it is, within its line.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    let kinds: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
    return scalar == "\n" || !(kinds.contains(scalar.properties.generalCategory) || scalar.properties.isBidiControl)
  }

  @Test func `no table of accounts, sessions, factors, tenants and settings prints a control character`() async throws {
    try await GateHome.withVerifiedAda { home in
      let name = Self.hostile
      func run(_ arguments: String..., input: String = "") async throws {
        let outcome = try await home.gate(arguments, input: Array(input.utf8))
        #expect(outcome.succeeded, "\(arguments): \(outcome)")
      }
      #expect(try await home.enroll("--name", name) { try EnrolledApp.code($0) }.outcome.succeeded)
      try await run("profile", "--display-name", name, "--photo-url", "https://example.com/\(name)")
      try await run("users", "create", "--uid", "bob", "--display-name", name)
      try await run("tenants", "create", "north", "--name", name)
      try await run("users", "create", "eve@example.com", "--tenant", "north", "--display-name", name)
      try await run("service-accounts", "create", "backend", "--out", "backend.json")
      try await run("users", "create", "cyd@example.com", "--password-stdin", input: GateHome.password)
      try await run("sign-in", "cyd@example.com", "--keep", "--password-stdin", input: GateHome.password)
      try await run("saved-users", "switch", GateHome.email)
      let settings = [
        "GATEHOUSE_PROVIDER_APP_NAME": name
      ]
      let tables: [(arguments: [String], rows: Int)] = [
        (["users", "list"], 4), (["users", "list", "--tenant", "north"], 1), (["users", "list", "--json"], 4),
        (["users", "show", "bob"], 7), (["users", "show", "bob", "--json"], 1), (["whoami"], 1),
        (["whoami", "--json"], 1), (["second-factors", "list"], 1), (["second-factors", "list", "--json"], 1),
        (["sessions", "list"], 1), (["saved-users", "list"], 2), (["saved-users", "list", "--json"], 1),
        (["service-accounts", "list"], 1), (["keys", "list"], 1), (["tenants", "list"], 1),
        (["tenants", "list", "--json"], 1), (["provider", "settings"], -1), (["provider", "settings", "--json"], 1),
      ]
      for (arguments, rows) in tables {
        let outcome = try await home.gate(arguments, input: [], environment: settings)
        #expect(outcome.succeeded, "\(arguments): \(outcome)")
        #expect(outcome.output.unicodeScalars.allSatisfy(Self.isPlain), "\(arguments): \(outcome.output)")
        // A row that a name had begun would look like another account.
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        if rows > 0 { #expect(lines.count == rows, "\(arguments): \(outcome.output)") }
      }
    }
  }

  /// The files that join lines of their own: pictures, scripts, help and reports, but no table.
  private static let others: Set<String> = [
    "QRCode/QRCode+Terminal.swift", "CompletionScript.swift", "QueueCheck/QueueCheckOutcome.swift",
    "Commands/JWTDecodeCommand.swift", "SecondFactors/FactorAnswer.swift", "Output/TableRows.swift",
    "Output/MessageQueue.swift", "Output/Fitting.swift", "Output/HelpText.swift", "CommandUsage.swift",
  ]

  @Test func `every table is written through one function`() throws {
    let joined = try Repository.sources(in: "Sources/gate").filter { $0.text.contains(#"joined(separator: "\n")"#) }
    #expect(Set(joined.map { String($0.path.dropFirst("Sources/gate/".count)) }) == Self.others)
  }
}
