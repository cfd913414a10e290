import Testing

/// The library modules, whose public symbols are promises.
enum Surface {
  static let modules = Wings.order.flatMap(\.modules).filter {
    !$0.hasPrefix("C") && !["gatehouse-demo", "gate"].contains($0)
  }
  /// Where the user's contract is for every asynchronous call.
  static let contractWings = ["Tokens", "Auth", "Provider", "Agent"]
  static let contractModules = Wings.order.filter { contractWings.contains($0.wing) }.flatMap(\.modules)
    .filter { !$0.hasPrefix("C") }
}

struct SurfaceTests {
  @Test(arguments: Surface.modules)
  func `every public symbol has a documentation comment`(module: String) async throws {
    let graph = try await SymbolGraph.of(module)
    let bare = graph.symbols.filter { !$0.isDocumented }.map { "\($0.place) \($0.name)" }
    #expect(bare == [])
  }
}

/// The table in `Docs/threading.md` that says where each public asynchronous call begins.
struct ContractTable {
  /// The calls that the rows name: `Auth.signIn(withEmail:password:timeout:)`.
  let calls: [String]

  /// Reads the table below its heading. The first cell of a row has the calls, each between backticks.
  init(in text: String) {
    let section = text.split(separator: "\n## ").first { $0.hasPrefix("Where each asynchronous call begins") } ?? ""
    calls = section.matches(of: /^\| (`[^|]*) \|/.anchorsMatchLineEndings()).flatMap { row in
      row.1.matches(of: /`([^`]+)`/).map { String($0.1) }
    }
  }
}

extension SymbolGraph {
  /// The asynchronous calls of concrete types: no requirements of protocols, and no implementations of them.
  ///
  /// - Parameter required: the names of all requirements of our protocols, by `requirementNames` of every module.
  func contractCalls(required: [String: Set<String>]) -> [Symbol] {
    symbols.filter { symbol in
      guard symbol.isAsync, ["swift.method", "swift.type.method", "swift.property"].contains(symbol.kind),
        !requirements.contains(symbol.id)
      else { return false }
      let protocols = owners[symbol.id].flatMap { conformances[$0] } ?? []
      return !protocols.contains { required[$0]?.contains(symbol.path.last ?? "") == true }
    }
  }

  /// The names of the requirements of each protocol that the module declares, by the protocol's name and by its symbol.
  var requirementNames: [String: Set<String>] {
    symbols.filter { requirements.contains($0.id) }.reduce(into: [:]) { names, symbol in
      for name in [symbol.path.dropLast().last, owners[symbol.id]].compactMap(\.self) {
        names[name, default: []].insert(symbol.path.last ?? "")
      }
    }
  }

  /// The completion forms whose names Firebase has made different from their asynchronous ones'.
  static let firebaseForms = [
    "User.idTokenForcingRefresh(_:)": "User.getIDTokenForcingRefresh(_:completion:)",
    "FirebaseApp.delete()": "FirebaseApp.delete(_:)",
  ]

  /// Whether there is a form of a call that takes a completion as its last argument.
  func hasCompletionForm(of call: Symbol) -> Bool {
    guard call.name.hasSuffix(")") else { return false }
    let form = Self.firebaseForms[call.name] ?? "\(call.name.dropLast())completion:)"
    // A call of a type, not of a value, takes the callback queue itself.
    let forms = [form, "\(call.name.dropLast())callbackQueue:completion:)"]
    return symbols.contains { forms.contains($0.name) && !$0.isAsync }
  }
}

struct ContractTests {
  /// The graphs of every module in which the contract holds, with the requirements of all protocols.
  private static let graphs = Task {
    var graphs: [SymbolGraph] = []
    // Requirements of Hummingbird's protocols, which are not in our symbols.
    var required: [String: Set<String>] = [
      "MiddlewareProtocol": ["handle(_:context:next:)"], "RouterMiddleware": ["handle(_:context:next:)"],
    ]
    for module in Surface.modules {
      let graph = try await SymbolGraph.of(module)
      required.merge(graph.requirementNames) { $0.union($1) }
      if Surface.contractModules.contains(module) { graphs.append(graph) }
    }
    // `LocalBackend` keeps the contract in the calls that this protocol takes their names from.
    return (graphs, required.filter { !$0.key.contains("TokenAuthority") })
  }

  private static func calls() async throws -> [(graph: SymbolGraph, call: SymbolGraph.Symbol)] {
    let (graphs, required) = try await graphs.value
    return graphs.flatMap { graph in graph.contractCalls(required: required).map { (graph, $0) } }
  }

  @Test func `Docs/threading.md says of every asynchronous call where it begins`() async throws {
    let table = ContractTable(in: try Repository.text(of: DocumentedTests.threading))
    let calls = Set(try await Self.calls().map(\.call.name))
    #expect(calls.count > 15)
    #expect(calls.subtracting(table.calls).sorted() == [], "calls without a row")
    #expect(Set(table.calls).subtracting(calls).sorted() == [], "rows without a call")
    #expect(Set(table.calls).count == table.calls.count)
  }

  @Test func `every asynchronous call has its completion form`() async throws {
    let without = try await Self.calls().filter { !$0.graph.hasCompletionForm(of: $0.call) }
    #expect(without.map { "\($0.call.place) \($0.call.name)" } == [])
  }

  @Test func `every asynchronous call of the client is walked on every path`() async throws {
    let text = try Repository.text(of: "Tests/Auth/GatehouseTests/Threading/BothForms.swift")
    let walked = Set(
      text.matches(of: /^ *(?:BothForms\()?"(\w+\.[^"]+\))",/.anchorsMatchLineEndings()).map { String($0.1) })
    let calls = try await Self.calls().filter { $0.graph.module == "Gatehouse" }
      .map { $0.call.name.replacing("timeout:", with: "") }
      .filter { !$0.hasPrefix("FileCredentialStore.") }
    #expect(calls.count > 40)
    #expect(Set(calls).symmetricDifference(walked).sorted() == [])
  }

  /// Members that read no shared state, or that cannot be called in the matrix.
  private static let outsideMatrix: Set<String> = [
    "init", "auth", "configure", "==", "hash", "description", "customMirror", "multiFactorResolver",
  ]

  @Test func `every synchronous member of the client is in the matrix of callers`() async throws {
    let matrix = try Repository.text(of: "Tests/Auth/GatehouseTests/Threading/CallerMatrixTests.swift")
    let members = try await SymbolGraph.of("Gatehouse").symbols.filter { symbol in
      symbol.path.count == 2 && ["Auth", "User", "MultiFactor", "UserChanges"].contains(symbol.path[0])
        && ["swift.method", "swift.property", "swift.type.property", "swift.type.method"].contains(symbol.kind)
        && !symbol.isAsync && !symbol.name.contains("completion:")
    }
    .compactMap { $0.path[1].split(separator: "(").first.map(String.init) }
    #expect(members.count > 30)
    let missing = Set(members).subtracting(Self.outsideMatrix).filter { !matrix.contains(".\($0)") }
    #expect(missing.sorted() == [])
  }

  @Test func `the table is read from its heading to the next`() {
    let text = """
      | `Not.this()` | a |

      ## Where each asynchronous call begins

      | call | begins |
      |---|---|
      | `Auth.ready(timeout:)`, `Auth.flush(timeout:)` | on the work queue |
      | `A.b()` | `c` |

      ## The next

      | `Nor.this()` | a |
      """
    #expect(ContractTable(in: text).calls == ["Auth.ready(timeout:)", "Auth.flush(timeout:)", "A.b()"])
  }
}
