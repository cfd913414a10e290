import Foundation
import Synchronization

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
    /// Whether a class may be subclassed, or a method overridden, in other modules.
    let isOpen: Bool
    /// `["*, deprecated, renamed: \"next()\""]`.
    let availability: [String]
    /// What the extension that declares it asks for: `["T: Equatable"]`.
    let extensionConstraints: [String]
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
  /// The symbols that a protocol asks for.
  let required: Set<String>
  /// The default implementations of what a protocol asks for.
  let defaults: Set<String>
  /// The names of the protocols that a type conforms to, by the type's symbol.
  let conformances: [String: Set<String>]
  /// Conformances with their constraints, and superclasses, by the type's symbol.
  let inheritance: [String: [Inheritance]]
  /// The symbol of the type that a member belongs to.
  let owners: [String: String]

  struct Inheritance: Sendable {
    /// The name of a protocol or a class, or its symbol where this module declares it.
    let name: String
    /// `["T: Equatable"]`.
    let constraints: [String]
    let isSuperclass: Bool
  }

  /// The graph of a module that these tests were built with. Each module is extracted once: large ones take seconds.
  static func of(_ module: String) async throws -> Self {
    let extraction = extractions.withLock { extractions in
      if let begun = extractions[module] { return begun }
      let extraction = Task { try await extract(module) }
      extractions[module] = extraction
      return extraction
    }
    return try await extraction.value
  }
  private static let extractions = Mutex<[String: Task<Self, any Error>]>([:])

  /// Extracts the graph of a module in a folder of modules.
  static func extract(_ module: String, in modules: String = "\(Repository.products)/Modules") async throws -> Self {
    try await TemporaryFolder.with { folder in
      let arguments =
        [
          "symbolgraph-extract", "-module-name", module, "-I", modules,
          "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", folder,
          "-module-cache-path", "\(Repository.products)/ModuleCache", "-target", try await Compiler.target.value,
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
        declaration: symbol.declarationFragments.map(\.spelling), isOpen: symbol.accessLevel == "open",
        availability: symbol.availability?.map(\.text) ?? [],
        extensionConstraints: symbol.swiftExtension?.constraints?.map(\.text) ?? [],
        isDocumented: symbol.docComment?.lines.isEmpty == false,
        place: "\(location.uri.split(separator: "/Sources/").last ?? "?"):\(location.position.line + 1)")
    }
    let relationships = parts.flatMap(\.relationships)
    func all(_ kinds: String...) -> [Part.Relationship] { relationships.filter { kinds.contains($0.kind) } }
    required = Set(all("requirementOf", "optionalRequirementOf").map(\.source))
    defaults = Set(all("defaultImplementationOf").map(\.source))
    requirements = required.union(defaults)
    conformances = all("conformsTo").reduce(into: [:]) { conformances, relationship in
      conformances[relationship.source, default: []].formUnion([relationship.targetName, relationship.target])
    }
    inheritance = Dictionary(grouping: all("conformsTo", "inheritsFrom"), by: \.source).mapValues { relationships in
      relationships.map {
        Inheritance(
          name: $0.targetName, constraints: $0.swiftConstraints?.map(\.text) ?? [],
          isSuperclass: $0.kind == "inheritsFrom")
      }
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
      let accessLevel: String
      let availability: [Availability]?
      let swiftExtension: Extension?
      let docComment: Comment?
      let location: Location?
    }
    struct Availability: Decodable {
      let domain: String?
      let isUnconditionallyDeprecated: Bool?
      let isUnconditionallyUnavailable: Bool?
      let message: String?
      let renamed: String?

      /// As in `@available(…)`.
      var text: String {
        let kinds = [
          isUnconditionallyDeprecated == true ? "deprecated" : nil,
          isUnconditionallyUnavailable == true ? "unavailable" : nil,
          renamed.map { "renamed: \"\($0)\"" }, message.map { "message: \"\($0)\"" },
        ]
        return ([domain ?? "*"] + kinds.compactMap(\.self)).joined(separator: ", ")
      }
    }
    struct Constraint: Decodable {
      let kind: String
      let lhs: String
      let rhs: String

      /// As after `where`.
      var text: String { kind == "sameType" ? "\(lhs) == \(rhs)" : "\(lhs): \(rhs)" }
    }
    struct Extension: Decodable { let constraints: [Constraint]? }
    struct Relationship: Decodable {
      let kind: String
      let source: String
      let target: String
      let targetFallback: String?
      let swiftConstraints: [Constraint]?

      /// `Backend` for `Gatehouse.Backend` of another module; the symbol for a type of this module.
      var targetName: String { targetFallback?.split(separator: ".").last.map(String.init) ?? target }
    }
    let symbols: [Symbol]
    let relationships: [Relationship]
  }
}

extension Compiler {
  /// The target that modules are built for: `x86_64-unknown-linux-gnu`.
  static let target = Task { try await value(of: "unversionedTriple") }

  /// The compiler's own words: `Swift version 6.3.1 (swift-6.3.1-RELEASE)`.
  static let version = Task { try await value(of: "compilerVersion") }

  private static let info = Task { try await ChildProcess("swiftc", ["-print-target-info"]).run() }

  private static func value(of key: String) async throws -> String {
    let outcome = try await info.value
    guard
      let value = try outcome.output.firstMatch(of: Regex("\"\(key)\": \"([^\"]+)\"", as: (Substring, Substring).self))
    else { throw Failure(description: "the compiler does not tell its \(key): \(outcome)") }
    return String(value.1)
  }
}
