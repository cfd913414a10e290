import Foundation
import Testing

/// What Docs/from-firebase.md promises.
struct FirebaseTests {
  private static let page = "Docs/from-firebase.md"

  @Test(.releaseCheck, arguments: FirebaseProgram.all.map(\.name))
  func `a program that was written for Firebase runs with another import`(name: String) async throws {
    let program = try #require(FirebaseProgram.all.first { $0.name == name })
    #expect(program.original.contains("import FirebaseAuth\n") && !program.text.contains("import Firebase"))
    try await TemporaryFolder.with { home in
      let outcome = try await DependentPackage.built.value.run(
        name, in: home, input: program.input, environment: ["GATEHOUSE_HOME": home + "/state"])
      #expect(outcome.output == program.output && outcome.succeeded, "\(outcome)")
    }
  }

  @Test(.releaseCheck) func `a second configuration, and one without a home, are said in the log and trap nothing`()
    async throws
  {
    let outcome = try await DependentPackage.built.value.run(
      "FirebaseTokenRelay", in: "/", environment: ["GATEHOUSE_HOME": "", "XDG_STATE_HOME": "", "HOME": ""])
    #expect(outcome.errors.contains("there is no $HOME") && outcome.errors.contains("no default Auth"), "\(outcome)")
  }

  /// Members that every type has, and requirements that only the compiler names.
  private static let usual = ["==(_:_:)", "hash(into:)", "description", "customMirror", "Element", "Failure"]

  @Test(arguments: ["Gatehouse", "GatehouseFirebase", "GatehouseFirebaseREST"])
  func `every public member is in the inventory`(module: String) async throws {
    let text = try Repository.text(of: Self.page)
    // Line by line: the fences of a code block would shift the pairs.
    let named = Set(text.split(separator: "\n").flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } })
    let graph = try await SymbolGraph.of(module)
    #expect(graph.symbols.count > (["Gatehouse": 200, "GatehouseFirebase": 100][module] ?? 2))
    for symbol in graph.symbols where !Self.usual.contains(symbol.path.last ?? "") {
      let name = symbol.name.replacing("completion:", with: "").replacing("timeout:", with: "")
      let inTable = named.contains(name) || named.contains(symbol.name)
      #expect(inTable, "\(Self.page) does not have \(name)")
    }
  }

  @Test func `every member of Firebase is in the inventory`() throws {
    #expect(FirebaseInventory.names.count > 150)
    let named = FirebaseInventory.named(in: try Repository.text(of: Self.page))
    #expect(Set(FirebaseInventory.names).subtracting(named).sorted() == [])
    #expect(
      FirebaseInventory.named(in: "| `A` (`b`, `c(d:)`), `E.f(_:)`, `g` | `h` |") == [
        "A", "A.b", "A.c(d:)", "E", "E.f(_:)", "E.g",
      ])
  }

  @Test func `every row of the inventory says what holds`() throws {
    let rows = try Repository.text(of: Self.page).split(separator: "\n").filter { $0.hasPrefix("| `") }
    #expect(rows.count > 50)
    for row in rows {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3 else {
        #expect(cells.count == 2 && !cells[1].isEmpty, "\(row)")
        continue
      }
      let says = ["*same*", "*different*", "*not on Linux*"].filter { cells[2].hasPrefix($0) }
      #expect(says.count == 1, "\(row)")
      if says == ["*different*"] { #expect(cells[2].contains(":"), "a difference has its reason: \(row)") }
      if says == ["*same*"] { #expect(!cells[1].isEmpty, "what is the same is here: \(row)") }
    }
  }
}
