import GatehouseBase
import GatehouseWaits
import Testing

/// The text of a report, and its JSON.
@Suite struct WaitReportTests {
  private let cycle = DependencyCycle([
    Dependency(from: resource(3), to: resource(1), heldAt: [1], waitedAt: [2, 3], thread: 7),
    Dependency(.signal(resource(101)), from: resource(1), to: resource(3), waitedAt: [4], thread: 8),
  ])

  @Test func `a cycle is drawn as a ring, and named from its first class in byte order on`() {
    #expect(
      WaitReport(cycle: cycle, .plain).description == """
        potential deadlock: queue 1 → queue 3 → queue 1

        2 observed waits form a cycle. This run did not hang. If these waits happen at once, none of them ends.

        ┌─▶ queue 3, made at File.swift:3
        │     held since
        │         f1 at File.swift:1
        │     thread 7 waited for queue 1
        │         f2 at File.swift:1
        │         f3 at File.swift:1

        │   queue 1, made at File.swift:1
        │     held since it began to run
        │     thread 8 waited for queue 3 through signal s101
        │         f4 at File.swift:1
        └──── queue 3

        What to do: Wait in one direction only. Decide which resource comes first. In the other direction do not wait: submit \
        the work asynchronously, or release the one resource before you wait for the other.
        """)
  }

  @Test func `a thread that waits for itself, and resources of one class, have words of their own`() {
    let itself = WaitReport(
      cycle: DependencyCycle([Dependency(.selfWait, from: resource(2), to: resource(2))]), .plain)
    #expect(itself.kind == .waitForItself && itself.name == "lock 2 → lock 2")
    let one = WaitResource(instance: 10, classID: 2), other = WaitResource(instance: 11, classID: 2)
    let same = WaitReport(
      cycle: DependencyCycle([Dependency(from: one, to: other), Dependency(from: other, to: one)]), .plain)
    #expect(same.kind == .potentialDeadlock && same.rule.contains("in a fixed order"))
  }

  @Test func `the JSON of a report has all that its text has`() throws {
    let report = WaitReport(cycle: cycle, .plain)
    let object = try JSONObject(parsing: report.json())
    #expect(object["kind"]?.string == report.kind.rawValue && object["name"]?.string == report.name)
    #expect(object["summary"]?.string == report.summary && object["rule"]?.string == report.rule)
    let waits = try #require(object["waits"]?.array)
    #expect(waits.map { $0["held"]?.string } == ["queue 3", "queue 1"])
    #expect(
      waits.map { $0["thread"]?.integer } == [7, 8] && waits.map { $0["signal"]?.string } == [nil, "signal s101"])
    #expect(waits[0]["askedAt"]?.array?.map { $0["function"]?.string } == ["f2", "f3"])
    #expect(waits[0]["heldAt"]?.array?.first?["line"]?.integer == 1)
  }

  @Test func `names are looked up when a stack is read`() {
    let names = WaitNames(
      resourceClass: testClass, stack: { _ in CallStack { fatalError("looked up") } })
    #expect(WaitReport(cycle: cycle, names).name == "queue 1 → queue 3 → queue 1")
  }
}
