import Foundation
import Testing

/// The list of a module's public symbols and conformances, one per line, as in `Tests/PublicSymbols/MODULE.txt`.
///
/// A changed line is a change that affects users. It belongs in `Docs/CHANGELOG.md`.
struct SymbolList: Equatable {
  let lines: [String]

  static func path(of module: String) -> String { "Tests/PublicSymbols/\(module).txt" }

  /// Creates the sorted list of a module's symbols.
  init(_ graph: SymbolGraph) {
    let names = Dictionary(graph.symbols.map { ($0.id, $0.name) }) { first, _ in first }
    let declarations = graph.symbols.map { symbol in
      let declaration = symbol.declaration.joined().split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return "\(symbol.name): \(declaration)"
    }
    let conformances = graph.symbols.flatMap { symbol in
      // A protocol of this module is known by its mangled name, which has a colon.
      let protocols = graph.conformances[symbol.id, default: []].compactMap {
        names[$0] ?? ($0.contains(":") ? nil : $0)
      }
      return protocols.map { "\(symbol.name): conforms to \($0)" }
    }
    lines = Set(declarations + conformances).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  init(text: String) { lines = text.split(separator: "\n").map(String.init) }

  var text: String { lines.map { $0 + "\n" }.joined() }

  /// Returns the lines that only one of two lists has, as in a diff.
  static func changes(from old: Self, to new: Self) -> [String] {
    new.lines.difference(from: old.lines).sorted { $0.line < $1.line }.map { change in
      switch change {
      case .insert: "+ \(change.line)"
      case .remove: "- \(change.line)"
      }
    }
  }
}

extension CollectionDifference<String>.Change {
  fileprivate var line: String {
    switch self {
    case .insert(_, let line, _), .remove(_, let line, _): line
    }
  }
}

@Suite struct SymbolListTests {
  /// With `GATEHOUSE_RECORD_SYMBOLS` set, the lists are written instead of compared: `scripts/check --record`.
  private static let records = ProcessInfo.processInfo.environment["GATEHOUSE_RECORD_SYMBOLS"] != nil

  @Test(arguments: Surface.modules)
  func `the public symbols are those of the recorded list`(module: String) async throws {
    let today = SymbolList(try await SymbolGraph.of(module))
    let path = SymbolList.path(of: module)
    if Self.records {
      guard !today.lines.isEmpty else { return }  // all that the module has is `package`
      let file = URL(filePath: "\(Repository.root)/\(path)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      return try Data(today.text.utf8).write(to: file)
    }
    let recorded = SymbolList(text: (try? Repository.text(of: path)) ?? "")
    #expect(
      SymbolList.changes(from: recorded, to: today) == [],
      "Describe the change in Docs/CHANGELOG.md, run scripts/check --record, and commit both.")
  }

  @Test func `the changes between two lists are their differing lines`() {
    let old = SymbolList(text: "A: struct A\nA.b: let b: Int\n")
    let new = SymbolList(text: "A: struct A\nA.b: var b: Int\nC: struct C\n")
    #expect(SymbolList.changes(from: old, to: new) == ["- A.b: let b: Int", "+ A.b: var b: Int", "+ C: struct C"])
    #expect(SymbolList.changes(from: new, to: new) == [])
  }
}
