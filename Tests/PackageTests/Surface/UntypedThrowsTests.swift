import Testing

/// Swift 6.3.1 stops, or the program does, at some forms of `catch` around calls that throw a type (decision 108).
struct UntypedThrowsTests {
  /// The public calls that throw a type, with the reason.
  static let exceptions: [String: String] = [:]

  @Test func `no public call throws a type, unless its protocol or its caller asks for one`() async throws {
    var graphs: [SymbolGraph] = []
    for module in Surface.modules { graphs.append(try await SymbolGraph.of(module)) }
    let required = graphs.reduce(into: [String: Set<String>]()) { names, graph in
      names.merge(graph.requirementNames) { $0.union($1) }
    }
    let typed = graphs.flatMap { graph in
      graph.symbols.filter { $0.thrownType != nil && !graph.isWitness($0, of: required) }
        // The type is the one that the caller's closure throws.
        .filter { $0.thrownType != "Failure" }
        .map(\.name)
    }
    #expect(Set(typed).subtracting(Self.exceptions.keys).sorted() == [], "calls that throw a type")
    #expect(Set(Self.exceptions.keys).subtracting(typed).sorted() == [], "exceptions that are none")
  }

  @Test func `a thrown type is the call's own, not that of a closure among its parameters`() {
    #expect(symbol("func", " ", "f", "(_ call: () throws(", "E", ") -> Void) throws -> Int").thrownType == nil)
    #expect(symbol("func", " ", "f", "(_ call: () -> Void) async ", "throws", "(", "E", ") -> Int").thrownType == "E")
    #expect(symbol("var", " ", "f", ": Int { get throws(", "E", ") }").thrownType == "E")
    #expect(symbol("init", "(json: [", "UInt8", "]) ", "throws").thrownType == nil)
  }

  private func symbol(_ declaration: String...) -> SymbolGraph.Symbol {
    SymbolGraph.Symbol(
      id: "", kind: "", path: [], declaration: declaration, isOpen: false, availability: [], extensionConstraints: [],
      isDocumented: true, place: "")
  }
}

extension SymbolGraph.Symbol {
  /// The type that the call throws by its signature; `nil` for none and for any error.
  fileprivate var thrownType: String? {
    var outside = ""  // what is in no parentheses, except for what a `throws` has
    var depth = 0
    for character in declaration.joined() {
      let opensType = character == "(" && depth == 0 && outside.hasSuffix("throws")
      if "([".contains(character), !opensType { depth += 1 }
      if depth == 0 { outside.append(character) }
      if ")]".contains(character), depth > 0 { depth -= 1 }
    }
    return outside.firstMatch(of: /throws\((\w+)\)/).map { String($0.1) }
  }
}

extension SymbolGraph {
  /// Whether a protocol of ours asks for the symbol, or its type's conformance does.
  fileprivate func isWitness(_ symbol: Symbol, of required: [String: Set<String>]) -> Bool {
    if requirements.contains(symbol.id) { return true }
    let protocols = owners[symbol.id].flatMap { conformances[$0] } ?? []
    return protocols.contains { required[$0]?.contains(symbol.path.last ?? "") == true }
  }
}
