import Testing

@Suite struct StrangerTests {
  @Test(arguments: Stranger.all.map(\.name))
  func `a user's own type conforms to the protocol and is used`(program: String) async throws {
    let stranger = try #require(Stranger.all.first { $0.name == program })
    let outcome = try await DependentPackage.built.value.run(program, in: Repository.root)
    #expect(outcome.output == stranger.output && outcome.succeeded, "\(outcome)")
  }

  @Test func `no name of Gatehouse's is ambiguous beside swift-crypto, HTTPTypes and Logging`() async throws {
    let outcome = try await DependentPackage.built.value.run("Neighbors", in: Repository.root)
    #expect(outcome.output == Neighbors.output && outcome.succeeded, "\(outcome)")
  }
}
