import Testing

/// Docs/server.md shows programs. The middleware's is built with the tests: a dependent of its own would build
/// Hummingbird once more.
struct ServerPageTests {
  @Test func `the middleware's program is one that is built, of fewer than fifteen lines`() throws {
    let program = try Repository.text(of: "Tests/Provider/GatehouseHummingbirdTests/DocumentedProgram.swift")
    #expect(DocumentPrograms(path: "Docs/server.md", names: []).blocks.contains(program))
    #expect(program.split(separator: "\n").count < 15)
  }
}
