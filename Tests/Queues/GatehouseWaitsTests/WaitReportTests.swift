import GatehouseBase
import GatehouseWaits
import Testing

/// A report as text and as JSON.
struct WaitReportTests {
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

        What to do: Do not wait for a signal (a semaphore, a group, the end of a thread) while you hold what its giver \
        needs. Release that first, or continue in a completion handler.
        To suppress it: {"name":"queue 1 → queue 3 → queue 1","reason":"…","expires":"YYYY-MM-DD"}. \
        Guide: Docs/deadlocks.md
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

  private func report(_ ids: UInt32...) -> WaitReport {
    let next = ids.dropFirst() + ids.prefix(1)
    return WaitReport(
      cycle: DependencyCycle(zip(ids, next).map { Dependency(from: resource($0), to: resource($1)) }), .plain)
  }

  @Test func `the rule fits the kind of the resources`() {
    #expect(report(2, 4).rule.contains("locks in one order") && !report(2, 4).rule.contains("queue"))
    #expect(report(1, 3).rule.contains("which queue comes first") && !report(1, 3).rule.contains("lock"))
    #expect(report(1, 2).rule.contains("a queue while you hold a lock"))
    func itself(_ id: UInt32) -> String {
      WaitReport(cycle: DependencyCycle([Dependency(.selfWait, from: resource(id), to: resource(id))]), .plain).rule
    }
    #expect(itself(2).contains("take a lock") && itself(1).contains("wait for a queue"))
    let globals = WaitNames(
      resourceClass: { ResourceClass(RecordedClass(.once), site: "File.swift:\($0)") }, stack: { _ in CallStack() })
    let cycle = DependencyCycle([
      Dependency(from: resource(1), to: resource(2)), Dependency(from: resource(2), to: resource(1)),
    ])
    let once = WaitReport(cycle: cycle, globals)
    #expect(once.rule.contains("initializer of a lazy global") && once.name.hasPrefix("initializer in File.swift →"))
  }

  @Test func `a cycle that only main keeps apart is a note, with the advice to declare it`() throws {
    let note = WaitReport(cycle: cycle, .plain, isApartByMain: true)
    #expect(note.isNote && note.description.hasPrefix("note: potential deadlock: queue 1"))
    #expect(note.rule.contains("@MainActor") && note.rule.contains("--main-is-no-guard"))
    #expect(try JSONObject(parsing: note.json())["isNote"] == true)
    #expect(!WaitReport(cycle: cycle, .plain).isNote)
  }

  @Test func `a name has no line numbers, and begins at the same class whatever the lines are`() {
    func name(lines: [Int]) -> WaitReport {
      let names = WaitNames(
        resourceClass: { id in
          ResourceClass(
            .lock, label: "", site: "Cache.swift:\(lines[Int(id) - 1])",
            maker: id == 1 ? "Cache.init() at Cache.swift" : "")
        }, stack: { _ in CallStack() })
      let there = Dependency(from: resource(1), to: resource(2)), back = Dependency(from: resource(2), to: resource(1))
      return WaitReport(cycle: DependencyCycle([there, back]), names)
    }
    let lasting = "lock in Cache.init() at Cache.swift → lock in Cache.swift → lock in Cache.init() at Cache.swift"
    #expect(name(lines: [7, 12]).name == lasting && name(lines: [90, 8]).name == lasting)
    #expect(name(lines: [7, 12]).description.contains("deadlock: lock Cache.swift:7 → lock Cache.swift:12"))
  }

  @Test(arguments: [
    ("a\u{202E}b", #"queue a\u{202E}b"#), ("a\nb", #"queue a\nb"#), ("\u{1B}[31m", #"queue \u{1B}[31m"#),
    ("a\u{200B}", #"queue a\u{200B}"#), ("größe", "queue größe"),
  ])
  func `what cannot be seen in a label is spelled out`(label: String, name: String) {
    let resource = ResourceClass(.queue, label: label, site: "")
    #expect(resource.name == name && resource.lastingName == name)
  }

  @Test func `a closure at the top level of a file is in that file`() {
    func name(_ function: String, file: String? = "/src/main.swift") -> String {
      WaitReport.Frame(function: function, file: file, line: 3, image: "tool").function
    }
    #expect(name("closure #1 in ") == "closure #1 in main.swift")
    #expect(name("closure #1 in closure #2 in ", file: nil) == "closure #1 in closure #2 in tool")
    #expect(name("main") == "main")
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
