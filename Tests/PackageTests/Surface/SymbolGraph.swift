import Foundation

/// The public symbols of a module, as the compiler tells them.
struct SymbolGraph: Sendable {
  struct Symbol: Sendable {
    /// The compiler's name for it, unique.
    let id: String
    let kind: String
    /// `["Auth", "signIn(withEmail:password:)"]`.
    let path: [String]
    /// The declaration's tokens: keywords, names, types.
    let declaration: [String]
    let isDocumented: Bool
    /// `file:line`, relative to the package's root.
    let place: String

    var name: String { path.joined(separator: ".") }
    var isAsync: Bool { declaration.contains("async") }
  }

  let module: String
  let symbols: [Symbol]
  /// The symbols that a protocol asks for, and its default implementations of them.
  let requirements: Set<String>
  /// The names of the protocols that a type conforms to, by the type's symbol.
  let conformances: [String: Set<String>]
  /// The symbol of the type that a member belongs to.
  let owners: [String: String]

  /// Reads the graph of a module that these tests were built with.
  static func of(_ module: String) async throws -> Self {
    try await TemporaryFolder.with { folder in
      let arguments =
        [
          "symbolgraph-extract", "-module-name", module, "-I", "\(Repository.products)/Modules",
          "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", folder,
          "-module-cache-path", "\(Repository.products)/ModuleCache", "-target", try await Compiler.target(),
        ] + (try Repository.moduleMaps()).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
      let outcome = try await ChildProcess("swift", arguments).run()
      guard outcome.succeeded else { throw Failure(description: "the symbols of \(module): \(outcome)") }
      let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
        $0.hasSuffix(".symbols.json")
      }
      let parts = try files.map { name in
        try JSONDecoder().decode(Part.self, from: Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
      }
      return Self(module: module, parts: parts)
    }
  }

  private init(module: String, parts: [Part]) {
    self.module = module
    symbols = parts.flatMap(\.symbols).compactMap { symbol in
      guard let location = symbol.location else { return nil }
      return Symbol(
        id: symbol.identifier.precise, kind: symbol.kind.identifier, path: symbol.pathComponents,
        declaration: symbol.declarationFragments.map(\.spelling),
        isDocumented: symbol.docComment?.lines.isEmpty == false,
        place: "\(location.uri.split(separator: "/Sources/").last ?? "?"):\(location.position.line + 1)")
    }
    let relationships = parts.flatMap(\.relationships)
    func all(_ kinds: String...) -> [Part.Relationship] { relationships.filter { kinds.contains($0.kind) } }
    requirements = Set(all("requirementOf", "optionalRequirementOf", "defaultImplementationOf").map(\.source))
    conformances = all("conformsTo").reduce(into: [:]) { conformances, relationship in
      // `Gatehouse.Backend` of a protocol in another module, a mangled name of one in this module.
      let name = relationship.targetFallback?.split(separator: ".").last.map(String.init) ?? relationship.target
      conformances[relationship.source, default: []].formUnion([name, relationship.target])
    }
    owners = Dictionary(all("memberOf", "requirementOf").map { ($0.source, $0.target) }) { first, _ in first }
  }

  /// The format of the compiler's files.
  private struct Part: Decodable {
    struct Symbol: Decodable {
      struct Identifier: Decodable { let precise: String }
      struct Kind: Decodable { let identifier: String }
      struct Fragment: Decodable { let spelling: String }
      struct Comment: Decodable {
        struct Line: Decodable {}
        let lines: [Line]
      }
      struct Location: Decodable {
        struct Position: Decodable { let line: Int }
        let uri: String
        let position: Position
      }
      let identifier: Identifier
      let kind: Kind
      let pathComponents: [String]
      let declarationFragments: [Fragment]
      let docComment: Comment?
      let location: Location?
    }
    struct Relationship: Decodable {
      let kind: String
      let source: String
      let target: String
      let targetFallback: String?
    }
    let symbols: [Symbol]
    let relationships: [Relationship]
  }
}

extension Compiler {
  /// The target that modules are built for: `x86_64-unknown-linux-gnu`.
  static func target() async throws -> String {
    let outcome = try await ChildProcess("swiftc", ["-print-target-info"]).run()
    guard let name = outcome.output.firstMatch(of: /"unversionedTriple": "([^"]+)"/) else {
      throw Failure(description: "the compiler does not tell its target: \(outcome)")
    }
    return String(name.1)
  }
}
