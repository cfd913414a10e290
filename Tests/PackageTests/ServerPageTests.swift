import IdentityToolkit
import Testing

/// Docs/server.md shows programs. The middleware's is built with the tests: a dependent of its own would build
/// Hummingbird once more.
struct ServerPageTests {
  @Test func `the middleware's program is one that is built, of fewer than fifteen lines`() throws {
    let program = try Repository.text(of: "Tests/Provider/GatehouseHummingbirdTests/DocumentedProgram.swift")
    #expect(DocumentPrograms(path: "Docs/server.md", names: []).blocks.contains(program))
    #expect(program.split(separator: "\n").count < 15)
  }

  @Test(arguments: ["Docs/server.md", "Sources/Auth/IdentityToolkit/Calls/Admin/ImportAccounts.swift"])
  func `each hash of imports is named`(path: String) throws {
    let page = try Repository.text(of: path)
    #expect(PasswordHashAlgorithm.allCases.filter { !page.contains("`\($0.rawValue)`") } == [])
  }
}
