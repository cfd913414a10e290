import Testing

@Suite struct QueueProgramTests {
  @Test(arguments: [("QueuesAlone", QueuePrograms.aloneOutput), ("QueueSchedules", QueuePrograms.schedulesOutput)])
  func `a program that has the queues alone uses each of them`(program: String, output: String) async throws {
    let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]
    let outcome = try await DependentPackage.built.value.run(program, in: Repository.root, environment: environment)
    #expect(outcome.output == output && outcome.succeeded, "\(outcome)")
  }
}
