import Testing

struct StrangerTests {
  @Test(.releaseCheck, arguments: Stranger.all.map(\.name))
  func `a user's own type conforms to the protocol and is used`(program: String) async throws {
    let stranger = try #require(Stranger.all.first { $0.name == program })
    let outcome = try await DependentPackage.built.value.run(program, in: Repository.root)
    #expect(outcome.output == stranger.output && outcome.succeeded, "\(outcome)")
  }

  @Test func `every public protocol has its program`() throws {
    let declaration = /^public protocol (\w+)/.anchorsMatchLineEndings()
    let protocols = try Repository.sources(in: "Sources").flatMap { file in
      file.code.matches(of: declaration).map { String($0.1) }
    }
    #expect(protocols.count > 10)
    // A product's own program may be it: the server's dependencies take minutes to build.
    let products = try Repository.sources(in: "Tests/Products/Sources").map(\.code)
    for name in protocols {
      let conformance = try Regex("(?:struct|class|actor) \\w+: (?:\\w+, )*\(name)\\b")
      let programs = Stranger.all.map(\.text) + products
      #expect(programs.contains { $0.contains(conformance) }, "no program conforms to \(name)")
    }
  }

  @Test(.releaseCheck) func `no name of Gatehouse's is ambiguous beside swift-crypto, HTTPTypes and Logging`()
    async throws
  {
    let outcome = try await DependentPackage.built.value.run("Neighbors", in: Repository.root)
    #expect(outcome.output == Neighbors.output && outcome.succeeded, "\(outcome)")
  }
}
