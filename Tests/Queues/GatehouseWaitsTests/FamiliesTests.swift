import GatehouseWaits
import Testing

/// The calls that make the resources tell which classes are of one kind to the program.
struct FamiliesTests {
  private typealias Call = Families.Call

  /// The calls of functions, innermost first. Each function has one call of its own, unless `@` and a number follow.
  private func calls(_ functions: String...) -> [Call] {
    functions.map { text in
      let parts = text.split(separator: "@")
      let frame = WaitReport.Frame(function: String(parts[0]), file: "/s/F.swift", line: 1, image: "p")
      let address = parts[0].utf8.reduce(UInt(7)) { $0 &* 31 &+ UInt($1) } &+ UInt(parts.dropFirst().first ?? "0")!
      return Call(frame, address: address)
    }
  }

  private func families(_ members: [(label: String, calls: [Call])]) -> [[UInt32]] {
    Families(
      members.enumerated().map {
        Families.Member(UInt32($0 + 1), .mutex, label: $1.label, calls: $1.calls)
      }
    ).all
  }

  private func families(_ calls: [Call]...) -> [[UInt32]] { families(calls.map { ("", $0) }) }

  @Test func `what two functions make by one call is a family`() {
    #expect(families(calls("Account.init()", "load(_:)"), calls("Account.init()", "signUp(_:)")) == [[1, 2]])
    #expect(families(calls("Account.init()", "load(_:)"), calls("Journal.init()", "load(_:)")) == [])
    #expect(
      families(calls("Account.init()", "make()", "load(_:)"), calls("Account.init()", "make()", "signUp(_:)"))
        == [[1, 2]])
  }

  @Test(arguments: ["Lock.init(_:)", "NIOLock.__allocating_init()", "Mutex::Mutex()", "new_lock", "Lock<A>.init(_:)"])
  func `locks of one wrapper are no family`(wrapper: String) {
    #expect(families(calls(wrapper, "Cache.fill()"), calls(wrapper, "Store.fill()")) == [])
    #expect(
      families(calls(wrapper, "Account.init()", "load()"), calls(wrapper, "Account.init()", "add()")) == [[1, 2]])
  }

  @Test(arguments: ["Clock.init()", "Block::Block(int)", "lock(_:)", "renewLocks()", "Unlocker.run()"])
  func `a name with other words in it is no wrapper`(function: String) {
    #expect(families(calls(function, "load()"), calls(function, "signUp()")) == [[1, 2]])
  }

  @Test func `a wrapper with another name is told by the constructors that call it`() {
    #expect(families(calls("Guarded.init(_:)", "Cache.init()"), calls("Guarded.init(_:)", "Store.init()")) == [])
    #expect(families(calls("Guarded.init(_:)", "Pair.init()@1"), calls("Guarded.init(_:)", "Pair.init()@2")) == [])
    #expect(families(calls("guarded", "cache_new", "main"), calls("guarded", "store_new", "main")) == [])
    let boxed = ["Cache::Cache()", "Store::Store()"].map { calls("Guarded::Guarded()", "Box::Box()", $0) }
    #expect(families(boxed[0], boxed[1]) == [])
    // A cache that two functions make is one kind, beside the store.
    #expect(
      families(
        calls("Guarded.init(_:)", "Cache.init()", "open()"), calls("Guarded.init(_:)", "Cache.init()", "reopen()"),
        calls("Guarded.init(_:)", "Store.init()", "open()")) == [[1, 2]])
  }

  @Test func `queues of one label are a family, unless a wrapper gives them the label`() {
    let made = ["load()", "signUp()"].map { calls($0) }
    #expect(families([("account", made[0]), ("account", made[1])]) == [[1, 2]])
    #expect(families([("account", made[0]), ("journal", made[1])]) == [])
    let wrapped = ["Cache.init()", "Store.init()"].map { calls("Worker.init()", $0) }
    #expect(families([("worker", wrapped[0]), ("worker", wrapped[1])]) == [])
  }

  @Test func `an inlined call is known by its line`() {
    func inlined(_ line: Int, at address: UInt) -> [Call] {
      let function = WaitReport.Frame(function: "Account.init()", file: "/s/F.swift", line: line, image: "p")
      let caller = WaitReport.Frame(function: "f\(address)", file: "/s/F.swift", line: 9, image: "p")
      return [Call(function, address: address, isInlined: true), Call(caller, address: address)]
    }
    #expect(families(inlined(1, at: 10), inlined(1, at: 20)) == [[1, 2]])
    #expect(families(inlined(1, at: 10), inlined(2, at: 20)) == [])
  }

  @Test func `what is made at an unknown place is in no family`() {
    #expect(families([], []) == [])
  }
}

/// A family changes the graph, and its classes have different names in a report.
struct FamilyReportsTests {
  @Sendable private func lock(_ instance: UInt64, of classID: UInt32) -> WaitResource {
    WaitResource(instance: instance, classID: classID)
  }

  @Test func `classes of a family that nest prove nothing, and the order of instances does`() {
    func isCycle(_ waits: [(UInt64, UInt64)], families: [[UInt32]]) -> Bool {
      var graph = Dependencies()
      for family in families { for id in family { graph.noteFamily(family[0], of: id) } }
      // Odd instances are loaded, even ones are signed up.
      func account(_ number: UInt64) -> WaitResource { lock(number, of: number % 2 == 0 ? 4 : 2) }
      return waits.map { graph.add(Dependency(from: account($0), to: account($1))) }.contains { $0 != nil }
    }
    #expect(isCycle([(1, 2), (4, 5)], families: []))
    #expect(!isCycle([(1, 2), (4, 5)], families: [[2, 4]]))
    #expect(isCycle([(1, 2), (2, 3), (3, 4), (4, 1)], families: [[2, 4]]))
  }

  @Test func `a family is learned before the waits of a record are judged`() {
    func reports(_ families: @escaping @Sendable ([UInt32]) -> [[UInt32]]) -> [String] {
      let names = WaitNames(resourceClass: testClass, families: families, stack: { _ in CallStack() })
      let classes = (1...6).map { _ in RecordedClass(.mutex, makers: [1]) }
      let waits = [(11, 2, 12, 4), (13, 4, 14, 2), (15, 4, 16, 6), (16, 6, 17, 2)].map {
        Dependency(from: lock($0, of: $1), to: lock($2, of: $3))
      }
      return RecordAnalysis(classes: classes, dependencies: waits, waits: [], names: names).reports.map(\.name)
    }
    let all: Set = ["lock 2 → lock 4 → lock 2", "lock 2 → lock 4 → lock 6 → lock 2"]
    #expect(Set(reports { _ in [] }) == all)
    #expect(Set(reports { _ in [[2, 8]] }) == all)
    #expect(reports { [$0] } == [])
    #expect(reports { _ in [[2, 4]] } == [])
  }

  @Test func `two classes of one name have names of their own in a report`() throws {
    func report(makers: [UInt32: [String]]) throws -> WaitReport {
      let names = WaitNames(
        resourceClass: { ResourceClass(.queue, label: "account", site: "Bank.swift:\($0)") },
        makers: { (makers[$0] ?? []).map { WaitReport.Frame(function: $0, file: "B.swift", line: 1, image: "p") } },
        stack: { _ in CallStack() })
      let waits = [Dependency(from: resource(3), to: resource(1)), Dependency(from: resource(1), to: resource(3))]
      return try #require(RecordAnalysis(classes: [], dependencies: waits, waits: [], names: names).reports.first)
    }
    let plain = "queue account → queue account (2) → queue account"
    #expect(try report(makers: [:]).name == plain)
    #expect(try report(makers: [1: ["make()", "load()"], 3: ["make()", "load()"]]).name == plain)
    let told = try report(makers: [1: ["make()", "load()"], 3: ["make()", "signUp()"]])
    #expect(
      told.name == "queue account, by load() at B.swift → queue account, by signUp() at B.swift → "
        + "queue account, by load() at B.swift")
    #expect(Set(told.waits.map(\.held)).count == 2)
  }
}
