import Testing

/// Docs/testing.md shows tests. Those of Gatehouse have them, as they stand there.
struct TestingPageTests {
  @Test func `the programs of the page are tests that run`() throws {
    let programs = try ["Failure", "Clocks", "Contract"].map { name in
      try Repository.text(of: "Tests/Auth/GatehouseTests/Documented/\(name)Tests.swift")
    }
    #expect(DocumentPrograms(path: "Docs/testing.md", names: []).blocks == programs)
  }
}
