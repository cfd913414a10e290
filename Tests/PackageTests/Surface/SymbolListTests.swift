import Foundation
import Testing

/// The list of a module's public symbols, conformances and re-exports, one per line, as in `Docs/api/MODULE.txt`.
///
/// A changed line is a change that affects users. It belongs in `Docs/CHANGELOG.md`.
struct SymbolList: Equatable {
  static let folder = "Docs/api"

  let lines: [String]

  static func path(of module: String) -> String { "\(folder)/\(module).txt" }

  /// Creates the sorted list of a module's symbols.
  ///
  /// - Parameter exports: what the module re-exports, by `exports(of:)`.
  init(_ graph: SymbolGraph, exports: [String] = []) {
    let names = Dictionary(graph.symbols.map { ($0.id, $0.name) }) { first, _ in first }
    let symbols = graph.symbols.flatMap { symbol in
      [Self.line(for: symbol, in: graph)]
        + graph.inheritance[symbol.id, default: []].compactMap { inheritance in
          // A type of this module is known by its mangled name, which has a colon. A private one has no name here.
          guard let name = names[inheritance.name] ?? (inheritance.name.contains(":") ? nil : inheritance.name) else {
            return nil
          }
          let verb = inheritance.isSuperclass ? "inherits from" : "conforms to"
          return "\(symbol.name): \(verb) \(name)\(Self.clause(inheritance.constraints))"
        }
    }
    let exported = exports.map { "re-exports \($0)" }
    lines = Set(symbols + exported).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  init(text: String) { lines = text.split(separator: "\n").map(String.init) }

  var text: String { lines.map { $0 + "\n" }.joined() }

  /// A symbol's declaration, with what its tokens leave out.
  private static func line(for symbol: SymbolGraph.Symbol, in graph: SymbolGraph) -> String {
    var words = symbol.declaration.joined().split(whereSeparator: \.isWhitespace).map(String.init)
    if symbol.isOpen { words.insert("open", at: 0) }
    if graph.required.contains(symbol.id) { words.insert("requirement:", at: 0) }
    if graph.defaults.contains(symbol.id) { words.insert("default implementation:", at: 0) }
    words.insert(contentsOf: symbol.availability.map { "@available(\($0))" }, at: 0)
    return "\(symbol.name): \(words.joined(separator: " "))\(clause(symbol.extensionConstraints))"
  }

  /// Constraints of an extension, in brackets: the declaration itself may have a `where`.
  private static func clause(_ constraints: [String]) -> String {
    constraints.isEmpty ? "" : " [where \(constraints.joined(separator: ", "))]"
  }

  /// Returns what a module re-exports: `struct GatehouseBase.AuthError`. Symbol graphs do not have it.
  static func exports(of module: String) throws -> [String] {
    guard let wing = Wings.order.first(where: { $0.modules.contains(module) })?.wing else { return [] }
    return try Repository.sources(in: "Sources/\(wing)/\(module)").flatMap { exports(in: $0.code) }
  }

  static func exports(in code: String) -> [String] {
    code.matches(of: /^@_exported public import (.+)$/.anchorsMatchLineEndings()).map { String($0.1) }
  }

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

struct SymbolListTests {
  /// With `GATEHOUSE_RECORD_API` set, the lists are written instead of compared: `scripts/api`.
  private static let records = ProcessInfo.processInfo.environment["GATEHOUSE_RECORD_API"] != nil

  /// Another compiler may write the same declarations differently.
  private static func isRecordedCompiler() async throws -> Bool {
    try await Compiler.version.value + "\n" == Repository.text(of: "\(SymbolList.folder)/COMPILER")
  }

  @Test(
    .enabled("Docs/api was written with another compiler than this one; see Docs/api/COMPILER") {
      try await isRecordedCompiler()
    }, arguments: Surface.modules)
  func `the public symbols are those of the recorded list`(module: String) async throws {
    let today = SymbolList(try await SymbolGraph.of(module), exports: try SymbolList.exports(of: module))
    let path = SymbolList.path(of: module)
    if Self.records {
      guard !today.lines.isEmpty else { return }  // all that the module has is `package`
      return try Data(today.text.utf8).write(to: URL(filePath: "\(Repository.root)/\(path)"))
    }
    let recorded = SymbolList(text: (try? Repository.text(of: path)) ?? "")
    #expect(
      SymbolList.changes(from: recorded, to: today) == [],
      "Run scripts/api, describe the change in Docs/CHANGELOG.md, and commit both.")
  }

  @Test func `every list has its module`() throws {
    let lists = try Repository.files(in: SymbolList.folder, ending: ".txt")
    #expect(Set(lists).subtracting(Surface.modules.map(SymbolList.path)).sorted() == [])
  }

  @Test(.disabled(if: records, "the lists are being written"))
  func `the newest entry of the changelog has the checksum of the lists`() async throws {
    let newest = try Repository.text(of: "Docs/CHANGELOG.md").split(separator: "\n## ").dropFirst().first ?? ""
    let checksum = try await ChildProcess("scripts/api", ["--checksum"]).run().output.prefix { $0 != "\n" }
    #expect(checksum.wholeMatch(of: /[0-9a-f]{12}/) != nil)
    #expect(
      newest.contains("\n`Docs/api`: `\(checksum)`\n"),
      "The public symbols have changed: describe the change in Docs/CHANGELOG.md, and put there `\(checksum)`.")
  }

  @Test func `the changes between two lists are their differing lines`() {
    let old = SymbolList(text: "A: struct A\nA.b: let b: Int\n")
    let new = SymbolList(text: "A: struct A\nA.b: var b: Int\nC: struct C\n")
    #expect(SymbolList.changes(from: old, to: new) == ["- A.b: let b: Int", "+ A.b: var b: Int", "+ C: struct C"])
    #expect(SymbolList.changes(from: new, to: new) == [])
  }

  @Test func `a list has what a declaration's tokens leave out`() async throws {
    let text = """
      @available(*, deprecated, renamed: "next()", message: "it is slow") @discardableResult
      public func last(_ count: Int = 3, then: @escaping @MainActor @Sendable () -> Void) -> Int { 1 }
      @preconcurrency @MainActor public protocol Named { func name() -> String }
      extension Named { public func name() -> String { "" } }
      public struct Pair<T> { public let first: T }
      extension Pair: Equatable where T: Equatable {}
      extension Pair where T == Int { public func sum() -> Int { 1 } }
      open class Base { public func ask() {} }
      public final class Derived: Base {}
      """
    let graph = try await TemporaryFolder.with { folder in
      let file = "\(folder)/Listed.swift"
      try text.write(toFile: file, atomically: false, encoding: .utf8)
      let built = try await ChildProcess(
        "swiftc",
        [
          "-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", "Listed", file,
          "-emit-module-path", "\(folder)/Listed.swiftmodule",
        ]
      ).run()
      #expect(built.succeeded, "\(built)")
      return try await SymbolGraph.extract("Listed", in: folder)
    }
    let list = SymbolList(graph, exports: SymbolList.exports(in: "@_exported public import struct Other.Thing\n"))
    // Whether `Copyable` and `Escapable` are listed is the compiler's affair.
    let lines = list.lines.filter { $0.firstMatch(of: /conforms to (Copyable|Escapable|Sendable)/) == nil }
    #expect(
      lines == [
        "Base.ask(): func ask()",
        "Base: open class Base",
        "Derived: final class Derived",
        "Derived: inherits from Base",
        "Named.name(): default implementation: @MainActor func name() -> String",
        "Named.name(): requirement: @MainActor func name() -> String",
        "Named: @MainActor @preconcurrency protocol Named",
        "Pair.first: let first: T",
        "Pair.sum(): func sum() -> Int [where T == Int]",
        "Pair: conforms to Equatable [where T: Equatable]",
        "Pair: struct Pair<T>",
        #"last(_:then:): @available(*, deprecated, renamed: "next()", message: "it is slow") @discardableResult "#
          + "func last(_ count: Int = 3, then: @escaping @MainActor @Sendable () -> Void) -> Int",
        "re-exports struct Other.Thing",
      ])
  }
}
