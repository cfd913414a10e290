import GatehouseWaits
import Testing

/// Which waits form a cycle, and which only appear to.
struct DependenciesTests {
  /// A resource with class `name.first` and instance `name`; shared if the name is lowercase.
  private static func resource(_ name: String) -> WaitResource {
    let bytes = Array(name.uppercased().utf8)
    return WaitResource(
      instance: UInt64(bytes[0]) << 8 | UInt64(bytes.count > 1 ? bytes[1] : 0), classID: UInt32(bytes[0]),
      isShared: name == name.lowercased())
  }

  /// A guard whose class is given by a letter.
  private static func guarding(_ instance: UInt64, _ kind: String = "L") -> WaitGuard {
    WaitGuard(instance: instance, classID: UInt32(kind.utf8.first ?? 0))
  }

  /// Adds waits such as `A1>B1`, and returns the classes of each detected cycle.
  private func cycles(_ waits: String, barriers: String = "", scope: UInt64 = 0) -> [String] {
    var graph = Dependencies()
    var found: [String] = []
    for barrier in barriers.utf8 { _ = graph.noteBarrier(UInt32(barrier)) }
    for wait in waits.split(separator: " ") {
      let ends = wait.split(separator: ">")
      let dependency = Dependency(
        from: Self.resource(String(ends[0])), to: Self.resource(String(ends[1])), scope: scope)
      guard let cycle = graph.add(dependency) else { continue }
      found.append(cycle.dependencies.map { String(UnicodeScalar(UInt8($0.from.classID))) }.joined())
    }
    return found
  }

  @Test(arguments: [
    ("A1>B1 B1>A1", ["BA"]), ("A1>B1 B1>C1 C1>A1", ["CAB"]), ("A1>B1 C1>D1 B1>C1 D1>A1", ["DABC"]),
  ])
  func `waits that go round are a potential deadlock`(waits: String, found: [String]) {
    #expect(cycles(waits) == found)
  }

  @Test func `one order is none, however often and however long`() {
    #expect(cycles("A1>B1 A1>C1 B1>C1 A2>B2 B2>C2 C1>D1 C2>D1") == [])
  }

  @Test func `other resources of the same two classes are enough`() {
    #expect(cycles("A1>B1 B2>A2") == ["BA"])
  }

  @Test func `two of one class are reported when both orders were seen`() {
    #expect(cycles("A1>A2 A2>A3 A1>A3") == [])
    #expect(cycles("A1>A2 A2>A1") == ["AA"])
    #expect(cycles("A1>A2 A2>A3 A3>A1") == ["AAA"])
  }

  @Test func `a tree of two classes in turns, walked downwards, is silent`() {
    // The waits of one thread that descends to A3: all its holds, before each wait.
    #expect(cycles("A1>B1 A1>A2 B1>A2 A1>B2 B1>B2 A2>B2") == [])
    // The waits if each step is made by another thread, so that no thread holds more than one.
    #expect(cycles("A1>B1 B1>A2 A2>B2 B2>A3 A3>B3") == [])
  }

  @Test func `a tree that is walked upwards as well is not`() {
    #expect(cycles("A1>B1 B1>A2 A2>B1") == ["AB"])
    #expect(cycles("A1>A2 A1>B1 B1>A1") == ["BA"])
  }

  @Test func `readers do not wait for readers`() {
    #expect(cycles("A1>q1 q1>A1") == [])
    #expect(cycles("A1>q1 q1>q1") == [])
  }

  @Test func `readers wait for readers where barriers wait between them`() {
    #expect(cycles("A1>q1 q1>A1", barriers: "Q") == ["QA"])
    #expect(cycles("q1>q1", barriers: "Q") == ["Q"])
    var graph = Dependencies()
    #expect(graph.add(Dependency(from: Self.resource("q1"), to: Self.resource("A1"))) == nil)
    #expect(graph.add(Dependency(from: Self.resource("A1"), to: Self.resource("q1"))) == nil)
    #expect(graph.noteBarrier(81)?.dependencies.count == 2, "a barrier that comes later")
  }

  @Test func `a writer waits for readers`() {
    #expect(cycles("A1>q1 Q1>A1") == ["QA"])
    #expect(cycles("A1>Q1 q1>A1") == ["QA"])
  }

  @Test func `a thread that waits for itself is always reported`() {
    var graph = Dependencies()
    for _ in 0..<2 {
      #expect(
        graph.add(Dependency(.selfWait, from: Self.resource("A1"), to: Self.resource("A1")))?.dependencies.count == 1)
    }
    let shared = Self.resource("q1")
    #expect(graph.add(Dependency(.selfWait, from: shared, to: shared, isToPrivate: true)) != nil)
  }

  @Test func `tests do not see each other, and all see what belongs to none`() {
    var graph = Dependencies()
    let there = (Self.resource("A1"), Self.resource("B1")), back = (there.1, there.0)
    #expect(graph.add(Dependency(from: there.0, to: there.1, scope: 1), scopes: [1, 2]) == nil)
    #expect(graph.add(Dependency(from: back.0, to: back.1, scope: 2), scopes: [1, 2]) == nil)
    #expect(graph.add(Dependency(from: back.0, to: back.1, scope: 0), scopes: [1, 2])?.scope == 1)
    var late = Dependencies()
    #expect(late.add(Dependency(from: there.0, to: there.1, scope: 0), scopes: [1, 2]) == nil)
    #expect(late.add(Dependency(from: back.0, to: back.1, scope: 1), scopes: [1, 2])?.scope == 1)
  }

  @Test func `many waits of one test leave room for those of another`() {
    var graph = Dependencies()
    for number in 0..<200 {
      let one = WaitResource(instance: UInt64(1000 + number), classID: 65)
      let other = WaitResource(instance: UInt64(2000 + number), classID: 66)
      #expect(graph.add(Dependency(from: one, to: other, scope: 1), scopes: [1, 2]) == nil)
    }
    let there = (Self.resource("A1"), Self.resource("B1"))
    #expect(graph.add(Dependency(from: there.0, to: there.1, scope: 2), scopes: [1, 2]) == nil)
    #expect(graph.add(Dependency(from: there.1, to: there.0, scope: 2), scopes: [1, 2])?.scope == 2)
  }

  @Test func `waits under one lock never happen at once`() {
    var graph = Dependencies()
    let one = Self.resource("A1"), other = Self.resource("B1")
    let seven = Self.guarding(7), eight = Self.guarding(8), nine = Self.guarding(9)
    #expect(graph.add(Dependency(from: one, to: other, guards: [seven, eight])) == nil)
    #expect(graph.add(Dependency(from: other, to: one, guards: [eight, nine])) == nil)
    #expect(graph.add(Dependency(from: other, to: one, guards: [nine])) != nil, "and once without it is enough")
  }

  @Test func `where resources stand for others of their class, so do their guards`() {
    var graph = Dependencies()
    let one = Dependency(from: Self.resource("A1"), to: Self.resource("B1"), guards: [Self.guarding(7, "L")])
    let other = Dependency(from: Self.resource("B2"), to: Self.resource("A2"), guards: [Self.guarding(8, "L")])
    #expect(graph.add(one) == nil && graph.add(other) == nil)
    let apart = Dependency(from: Self.resource("B3"), to: Self.resource("A3"), guards: [Self.guarding(9, "M")])
    #expect(graph.add(apart) != nil, "locks of another class keep no waits apart")
  }

  @Test func `for the same resources only the same guard counts`() {
    var graph = Dependencies()
    let one = Self.resource("A1"), other = Self.resource("B1")
    #expect(graph.add(Dependency(from: one, to: other, guards: [Self.guarding(7, "L")])) == nil)
    #expect(graph.add(Dependency(from: other, to: one, guards: [Self.guarding(8, "L")])) != nil)
  }

  @Test func `a cycle through a signal counts only for the same resources`() {
    for instance in ["R1", "R2"] {
      var graph = Dependencies()
      let given = Dependency(.signal(Self.resource("S1")), from: Self.resource("L1"), to: Self.resource("R1"))
      #expect(graph.add(given) == nil)
      let back = Dependency(from: Self.resource(instance), to: Self.resource("L1"))
      #expect((graph.add(back) != nil) == (instance == "R1"))
    }
  }

  @Test func `a ring through a signal that is no cycle does not make its class nest`() {
    var graph = Dependencies()
    let given = Dependency(.signal(Self.resource("S1")), from: Self.resource("L1"), to: Self.resource("R1"))
    #expect(graph.add(given) == nil)
    #expect(graph.add(Dependency(from: Self.resource("R2"), to: Self.resource("L1"))) == nil)
    #expect(graph.add(Dependency(from: Self.resource("A1"), to: Self.resource("R3"))) == nil)
    #expect(graph.add(Dependency(from: Self.resource("R4"), to: Self.resource("A2"))) != nil)
  }

  @Test func `what a thread waits for after it gave a signal keeps no waiter waiting`() {
    let lock = Self.resource("L1"), work = Self.resource("W1")
    func isCycle(givenAt: UInt64?, waits numbers: UInt64...) -> Bool {
      var graph = Dependencies()
      let signal = Dependency(.signal(Self.resource("S1")), from: lock, to: work, givenAt: givenAt)
      let waits = numbers.map { Dependency(from: work, to: lock, number: $0) }
      return ([signal] + waits).map { graph.add($0) }.contains { $0 != nil }
    }
    #expect(isCycle(givenAt: 5, waits: 4))
    #expect(!isCycle(givenAt: 5, waits: 6))
    #expect(isCycle(givenAt: .max, waits: 6), "it gives the signal again and again")
    #expect(isCycle(givenAt: nil, waits: 6), "a resource, which any thread may hold")
    var graph = Dependencies()
    #expect(graph.add(Dependency(.signal(Self.resource("S1")), from: lock, to: work, givenAt: 5)) == nil)
    #expect(graph.add(Dependency(.signal(Self.resource("S1")), from: lock, to: work, givenAt: .max)) == nil)
    #expect(graph.add(Dependency(from: work, to: lock, number: 6)) != nil, "the first signal does not hide the others")
  }

  @Test func `what the giver of a signal still held adds nothing to the signal`() {
    let left = Self.resource("L1"), right = Self.resource("R1"), work = Self.resource("W1")
    let signal = Dependency.Reason.signal(Self.resource("S1"))
    for isHeld in [false, true] {
      var graph = Dependencies()
      if isHeld { #expect(graph.add(Dependency(signal, from: left, to: right)) == nil) }
      #expect(graph.add(Dependency(signal, from: left, to: work)) == nil)
      #expect(graph.add(Dependency(.signal(Self.resource("S2")), from: right, to: left)) == nil)
      #expect((graph.add(Dependency(from: work, to: right)) == nil) == isHeld)
    }
  }

  /// The thread that signals also held `R`, under a guard that it shares with the thread that holds `R` and waits for
  /// `L`.
  @Test func `another signal, or a further one, does add to the signal`() {
    let left = Self.resource("L1"), right = Self.resource("R1"), work = Self.resource("W1")
    let signal = Dependency.Reason.signal(Self.resource("S1")), second = Dependency.Reason.signal(Self.resource("S2"))
    func isCycle(heldFor held: Dependency.Reason, last: Dependency.Reason) -> Bool {
      var graph = Dependencies()
      return [
        Dependency(held, from: left, to: right, guards: [Self.guarding(7)]), Dependency(signal, from: left, to: work),
        Dependency(from: right, to: left, guards: [Self.guarding(7)]), Dependency(last, from: work, to: right),
      ].map { graph.add($0) }.contains { $0 != nil }
    }
    #expect(!isCycle(heldFor: signal, last: .wait))
    #expect(isCycle(heldFor: second, last: .wait))
    #expect(isCycle(heldFor: signal, last: second))
  }

  @Test func `what waits for a signal does not wait for something else meanwhile`() {
    let work = Self.resource("W1"), left = Self.resource("L1"), right = Self.resource("R1")
    func isCycle(ran instance: UInt64?) -> Bool {
      var graph = Dependencies(), again = Dependencies()
      let ran = instance.map { WaitGuard(instance: $0, classID: work.classID, side: .ran) }
      let waits = [
        Dependency(from: work, to: right, side: .run),
        Dependency(.signal(Self.resource("S1")), from: right, to: left, guards: ran.map { [$0] } ?? []),
        Dependency(.signal(Self.resource("S2")), from: left, to: work),
      ]
      return waits.map { graph.add($0) }.contains { $0 != nil }
        || (waits[1...] + waits[..<1]).map { again.add($0) }.contains { $0 != nil }
    }
    #expect(!isCycle(ran: work.instance))
    #expect(isCycle(ran: work.instance + 1), "another run of the block")
    #expect(isCycle(ran: nil))
  }

  @Test func `one activity may wait for two signals: another thread may wait for the second one`() {
    let ran = WaitGuard(instance: 99, classID: 99, side: .ran)
    #expect(isCycle([("A1>B1", [ran]), ("B1>A1", [ran])]))
  }

  @Test func `signals that are given in turn are no cycle, with one real wait they are`() {
    var graph = Dependencies()
    let left = Self.resource("L1"), right = Self.resource("R1")
    #expect(graph.add(Dependency(.signal(Self.resource("S1")), from: left, to: right)) == nil)
    #expect(graph.add(Dependency(.signal(Self.resource("S2")), from: right, to: left)) == nil)
    #expect(graph.add(Dependency(from: right, to: left)) != nil)
  }

  @Test func `a test that has ended is forgotten`() {
    var graph = Dependencies()
    #expect(graph.add(Dependency(from: Self.resource("A1"), to: Self.resource("B1"), scope: 1), scopes: [1]) == nil)
    graph.forget(scope: 1)
    #expect(graph.add(Dependency(from: Self.resource("B1"), to: Self.resource("A1"), scope: 1), scopes: [1]) == nil)
  }

  @Test func `many resources of two classes take bounded time and memory`() {
    var graph = Dependencies()
    for number in 0..<2_000 {
      let dependency = Dependency(
        from: WaitResource(instance: UInt64(number) << 1 | 1, classID: 1),
        to: WaitResource(instance: UInt64(number + 10_000) << 1, classID: 2))
      #expect(graph.add(dependency) == nil)
    }
    let back = Dependency(from: WaitResource(instance: 20_000, classID: 2), to: WaitResource(instance: 1, classID: 1))
    #expect(graph.add(back) != nil)
  }

  @Test func `for one class, the order of many resources is kept`() {
    var graph = Dependencies()
    func resource(_ number: Int) -> WaitResource { WaitResource(instance: UInt64(number), classID: 1) }
    for number in 0..<1_000 {
      #expect(graph.add(Dependency(from: resource(2 * number), to: resource(2 * number + 1))) == nil)
    }
    #expect(graph.add(Dependency(from: resource(1_999), to: resource(1_998))) != nil)
  }

  @Test func `two trees that are each walked downwards are no cycle`() {
    #expect(cycles("A1>A2 A3>B1 B1>B2 B3>A1") == [])
    #expect(cycles("A3>B1 B3>A1") == ["BA"], "without the trees it is one")
  }

  @Test func `what is forgotten closes no cycle`() {
    let there = Dependency(from: Self.resource("A1"), to: Self.resource("B1"))
    let back = Dependency(from: Self.resource("B1"), to: Self.resource("A1"))
    for forgotten in ["A1", "B1"] {
      var graph = Dependencies()
      #expect(graph.add(there) == nil)
      graph.forget(instance: Self.resource(forgotten).instance)
      #expect(graph.add(back) == nil)
      #expect(graph.add(there) != nil)
    }
  }

  @Test func `what a test showed of classes counts in that test, and is forgotten with it`() {
    func isCycle(_ graph: inout Dependencies, _ waits: String, _ guards: [WaitGuard?] = [], scope: UInt64) -> Bool {
      let found = waits.split(separator: " ").enumerated().map { index, wait in
        let ends = wait.split(separator: ">").map { Self.resource(String($0)) }
        let guards = guards.isEmpty ? nil : guards[index]
        return graph.add(
          Dependency(from: ends[0], to: ends[1], guards: guards.map { [$0] } ?? [], scope: scope), scopes: [1, 2])
      }
      return found.contains { $0 != nil }
    }
    let sides: [WaitGuard?] = [.member, .keptOut].map { WaitGuard(instance: 7, classID: 76, side: $0) }
    let learned: [(String, [WaitGuard?], whenKnown: Bool, (inout Dependencies) -> Void)] = [
      ("A3>B1 B2>A4", [], false, { #expect(!isCycle(&$0, "A1>A2", scope: 1)) }),
      ("A3>B1 B2>A4", [], false, { $0.noteUnrelated(65, scope: 1) }),
      ("A1>q1 q1>A1", [], true, { #expect($0.noteBarrier(81, scope: 1) == nil) }),
      ("A1>B1 B1>A1", sides, true, { #expect($0.notePhases(76, scope: 1) == nil) }),
    ]
    for (waits, guards, whenKnown, learn) in learned {
      for (scope, isForgotten) in [(UInt64(1), false), (1, true), (2, false)] {
        var graph = Dependencies()
        learn(&graph)
        if isForgotten { graph.forget(scope: 1) }
        let isKnown = scope == 1 && !isForgotten
        #expect(isCycle(&graph, waits, guards, scope: scope) == (isKnown == whenKnown), "\(waits), \(scope)")
      }
    }
  }

  @Test func `a wait that two tests show is kept for both`() {
    var graph = Dependencies()
    let one = Self.resource("A1"), other = Self.resource("B1")
    for scope: UInt64 in [1, 2] { #expect(graph.add(Dependency(from: one, to: other, scope: scope)) == nil) }
    #expect(graph.add(Dependency(from: other, to: one, scope: 2), scopes: [1, 2])?.scope == 2)
  }

  /// Two paths lead to one wait. The shorter path is examined first, and does not lead to a cycle.
  @Test func `a way that leads to no cycle does not hide another one`() {
    #expect(cycles("T1>A2 T1>M1 M1>A1 A1>S1 S1>T1") == ["STMA"], "the first one connects by class only")
    let gate = [Self.guarding(7)]
    let guarded = [("T1>A1", gate), ("T1>M1", []), ("M1>A1", []), ("A1>B1", []), ("B1>S1", gate), ("S1>T1", [])]
    #expect(isCycle(guarded))
    #expect(!isCycle(guarded.filter { !$0.0.contains("M1") }), "the first one alone")
    var graph = Dependencies()
    let left = Self.resource("L1"), right = Self.resource("R1")
    let signal = Dependency.Reason.signal(Self.resource("S1"))
    #expect(graph.add(Dependency(signal, from: right, to: left)) == nil)
    #expect(graph.add(Dependency(from: right, to: left)) == nil)
    #expect(graph.add(Dependency(signal, from: left, to: right)) != nil, "signals alone are no cycle")
  }

  @Test func `two rings that each connect by class once are none`() {
    #expect(cycles("T1>P1 P2>S1 T1>Q1 Q1>R1 R2>S1 S1>T1") == [])
  }

  @Test func `who reads what he reads already does not make the class nest`() {
    #expect(cycles("q1>q1 Q2>B1 B2>Q3") == ["BQ"])
  }

  @Test func `what is forgotten takes no room`() {
    var graph = Dependencies()
    let semaphore = WaitResource(instance: 9, classID: 2)
    for number: UInt64 in 100..<200 {
      #expect(graph.add(Dependency(from: WaitResource(instance: number, classID: 1), to: semaphore)) == nil)
    }
    graph.forget(instance: 9)
    let one = WaitResource(instance: 1, classID: 1), other = WaitResource(instance: 2, classID: 2)
    #expect(graph.add(Dependency(from: one, to: other)) == nil)
    #expect(graph.add(Dependency(from: other, to: one)) != nil)
  }

  // MARK: - Guards and other separations

  /// Whether these waits, between resources and under guards, form a cycle.
  private func isCycle(_ waits: [(String, [WaitGuard])], scope: UInt64 = 0) -> Bool {
    var graph = Dependencies()
    return waits.map { wait, guards in
      let ends = wait.split(separator: ">").map { Self.resource(String($0)) }
      return graph.add(Dependency(from: ends[0], to: ends[1], guards: Set(guards)))
    }.contains { $0.map { !$0.isKeptApartByMain } ?? false }
  }

  @Test func `any two waits under one lock are enough to keep a ring apart`() {
    let gate = [Self.guarding(7)]
    #expect(isCycle([("A1>B1", []), ("B1>C1", gate), ("C1>A1", [])]))
    #expect(!isCycle([("A1>B1", gate), ("B1>C1", gate), ("C1>A1", [])]))
    #expect(!isCycle([("A1>B1", gate), ("B1>C1", []), ("C1>A1", gate)]))
  }

  @Test func `no two threads hold the same resource alone, as a guard or as what their wait comes from`() {
    let c = WaitGuard(instance: Self.resource("C1").instance, classID: 67)
    #expect(!isCycle([("A1>B1", [c]), ("B1>C1", []), ("C1>A1", [])]))
    #expect(!isCycle([("B1>C1", []), ("C1>A1", []), ("A1>B1", [c])]))
  }

  @Test(arguments: [
    (WaitGuard.Side.alone, WaitGuard.Side.alone, false), (.alone, .shared, false), (.shared, .shared, true),
    (.member, .keptOut, false), (.member, .member, true), (.keptOut, .keptOut, true), (.member, .alone, true),
    (.main, .shared, true),
  ])
  func `only opposite sides of a guard keep waits apart`(one: WaitGuard.Side, other: WaitGuard.Side, isCycle: Bool) {
    func side(_ side: WaitGuard.Side) -> [WaitGuard] { [WaitGuard(instance: 7, classID: 76, side: side)] }
    #expect(self.isCycle([("A1>B1", side(one)), ("B1>A1", side(other))]) == isCycle)
    #expect(self.isCycle([("A1>B1", side(other)), ("B1>A1", side(one))]) == isCycle)
  }

  @Test func `what only the main queue keeps apart is told as such, and anything else comes first`() {
    let main = WaitGuard(instance: 7, classID: 76, side: .main)
    let there = Dependency(from: Self.resource("A1"), to: Self.resource("B1"), guards: [main])
    let back = Dependency(from: Self.resource("B1"), to: Self.resource("A1"), guards: [main])
    var graph = Dependencies()
    #expect(graph.add(there) == nil)
    #expect(graph.add(back)?.isKeptApartByMain == true)
    let elsewhere = Dependency(from: Self.resource("B1"), to: Self.resource("A1"))
    #expect(graph.add(elsewhere)?.isKeptApartByMain == false)
    // One wait closes cycles of both kinds.
    var both = Dependencies()
    for wait in [there, Dependency(from: there.from, to: Self.resource("C1"))] { #expect(both.add(wait) == nil) }
    #expect(both.add(Dependency(from: Self.resource("C1"), to: there.to)) == nil)
    #expect(both.add(back)?.isKeptApartByMain == false)
    let declared = WaitGuard(instance: 7, classID: 76, side: .alone)
    #expect(!isCycle([("A1>B1", [declared]), ("B1>A1", [declared])]))
    for guards in [[main, declared], [declared, main]] {
      var graph = Dependencies()
      #expect(graph.add(Dependency(from: Self.resource("A1"), to: Self.resource("B1"), guards: [guards[0]])) == nil)
      let last = Dependency(from: Self.resource("B1"), to: Self.resource("A1"), guards: [guards[1]])
      #expect(graph.add(last)?.isKeptApartByMain == true, "one of them alone says that it belongs to main")
    }
    // One wait starts from the main queue, and another is made under it.
    let queue = Self.resource("M1")
    let under = WaitGuard(instance: queue.instance, classID: queue.classID, side: .main)
    let ring = [
      Dependency(from: queue, to: Self.resource("A1"), side: .main),
      Dependency(from: Self.resource("A1"), to: Self.resource("B1"), guards: [under]),
      Dependency(from: Self.resource("B1"), to: queue),
    ]
    for last in ring.indices {
      var graph = Dependencies()
      let found = (ring[(last + 1)...] + ring[...last]).map { graph.add($0) }
      #expect(found.last??.isKeptApartByMain == true)
    }
  }

  @Test func `a thread that reads keeps apart no other one that reads, while a third waits to write`() {
    let reads = WaitGuard(instance: Self.resource("Q1").instance, classID: 81, side: .shared)
    #expect(isCycle([("q1>A1", []), ("A1>B1", [reads]), ("B1>Q1", [])]))
    #expect(isCycle([("A1>B1", [reads]), ("B1>Q1", []), ("q1>A1", [])]))
  }

  @Test func `the main thread outside of a block keeps nothing apart`() {
    var graph = Dependencies()
    let main = Self.resource("M1"), lock = Self.resource("L1")
    #expect(graph.add(Dependency(from: main, to: lock, side: nil)) == nil)
    let back = Dependency(from: lock, to: main, guards: [WaitGuard(instance: main.instance, classID: main.classID)])
    #expect(graph.add(back) != nil)
  }

  @Test func `what is private does not make its class nest until others know it`() {
    for isPublished in [false, true] {
      var graph = Dependencies()
      #expect(graph.add(Dependency(from: Self.resource("A1"), to: Self.resource("A2"), isToPrivate: true)) == nil)
      if isPublished { #expect(graph.publish(instance: Self.resource("A2").instance) == nil) }
      #expect(graph.add(Dependency(from: Self.resource("A3"), to: Self.resource("B1"))) == nil)
      #expect((graph.add(Dependency(from: Self.resource("B2"), to: Self.resource("A4"))) == nil) == isPublished)
    }
  }

  @Test func `a wait is kept beside an earlier one that counts for less`() {
    let one = Self.resource("A1"), other = Self.resource("B1")
    func isCycle(_ first: Dependency, _ second: Dependency, behind guards: Set<WaitGuard>) -> Bool {
      var graph = Dependencies()
      #expect(graph.add(first) == nil)
      #expect(graph.add(second) == nil)
      return graph.add(Dependency(from: other, to: one, guards: guards)) != nil
    }
    let plain = Dependency(from: one, to: other)
    #expect(isCycle(Dependency(from: one, to: other, isToPrivate: true), plain, behind: []))
    let alone = WaitGuard(instance: one.instance, classID: one.classID)
    #expect(isCycle(plain, Dependency(from: one, to: other, side: nil), behind: [alone]))
    let lost = Dependency(from: one, to: other, guards: [Self.guarding(7)], hasLostGuards: true)
    let whole = Dependency(from: one, to: other, guards: [Self.guarding(7)])
    #expect(isCycle(lost, whole, behind: [Self.guarding(8)]))
  }

  @Test func `a group that one test uses in phases is a guard in another`() {
    let member = WaitGuard(instance: 7, classID: 76, side: .member)
    let kept = WaitGuard(instance: 7, classID: 76, side: .keptOut)
    for scope: UInt64 in [1, 2] {
      var graph = Dependencies()
      let one = Self.resource("A1"), other = Self.resource("B1")
      #expect(graph.add(Dependency(from: one, to: other, guards: [member], scope: 1), scopes: [1, 2]) == nil)
      #expect(graph.add(Dependency(from: other, to: one, guards: [kept], scope: 1), scopes: [1, 2]) == nil)
      #expect((graph.notePhases(76, scope: scope, scopes: [1, 2]) != nil) == (scope == 1))
    }
  }

  @Test func `what is private counts once others turn out to have known it`() {
    let one = Self.resource("A1"), other = Self.resource("B1")
    for isFrom in [false, true] {
      var graph = Dependencies()
      let hidden = Dependency(from: one, to: other, isFromPrivate: isFrom, isToPrivate: !isFrom)
      #expect(graph.add(hidden) == nil)
      #expect(graph.add(Dependency(from: other, to: one)) == nil)
      #expect(graph.publish(instance: Self.resource("C1").instance) == nil)
      #expect(graph.publish(instance: (isFrom ? one : other).instance)?.dependencies.count == 2)
    }
    for instances in [[one.instance, other.instance], [other.instance, one.instance]] {
      var graph = Dependencies()
      #expect(graph.add(Dependency(from: one, to: other, isFromPrivate: true, isToPrivate: true)) == nil)
      #expect(graph.add(Dependency(from: other, to: one)) == nil)
      #expect(instances.map { graph.publish(instance: $0) != nil } == [false, true], "both must be known")
    }
    var graph = Dependencies()
    let two = Dependency(from: one, to: Self.resource("A2"), isFromPrivate: true, isToPrivate: true)
    #expect(graph.add(two) == nil && graph.publish(instance: one.instance) == nil)
    #expect(graph.add(Dependency(from: Self.resource("A3"), to: other)) == nil)
    #expect(graph.add(Dependency(from: Self.resource("B2"), to: Self.resource("A4"))) != nil, "it does not nest yet")
  }

  @Test func `a group keeps a member's wait apart only if the same thread leaves it`() {
    let one = Self.resource("A1"), other = Self.resource("B1")
    let member = WaitGuard(instance: 7, classID: 76, side: .member)
    let closing = Dependency(from: other, to: one, guards: [WaitGuard(instance: 7, classID: 76, side: .keptOut)])
    var graph = Dependencies()
    let wait = Dependency(from: one, to: other, undecided: [member], thread: 1, number: 5)
    #expect(graph.add(wait.assumed) == nil)
    #expect(graph.add(closing) == nil)
    #expect(graph.lose(member: 7, of: 2, waiting: 5) == nil, "another thread's wait")
    #expect(graph.lose(member: 7, of: 1, waiting: 6) == nil, "another wait")
    #expect(graph.lose(member: 8, of: 1, waiting: 5) == nil, "another group")
    #expect(graph.lose(member: 7, of: 1, waiting: 5)?.dependencies.count == 2)
    #expect(graph.lose(member: 7, of: 1, waiting: 5) == nil, "only once")
    var plain = Dependencies()
    #expect(plain.add(wait) == nil && plain.add(closing) != nil, "without the assumption it is no guard")
  }

  @Test func `a wait that may prove to be unguarded is kept beside one that is guarded`() {
    let one = Self.resource("A1"), other = Self.resource("B1")
    let member = WaitGuard(instance: 7, classID: 76, side: .member)
    var graph = Dependencies()
    #expect(graph.add(Dependency(from: one, to: other, guards: [member])) == nil)
    #expect(graph.add(Dependency(from: one, to: other, undecided: [member], thread: 1, number: 5).assumed) == nil)
    let closing = Dependency(from: other, to: one, guards: [WaitGuard(instance: 7, classID: 76, side: .keptOut)])
    #expect(graph.add(closing) == nil)
    #expect(graph.lose(member: 7, of: 1, waiting: 5) != nil)
  }

  @Test func `a group that is used in phases keeps nothing apart, before and after`() {
    let one = Self.resource("A1"), other = Self.resource("B1")
    func side(_ side: WaitGuard.Side) -> WaitGuard { WaitGuard(instance: 7, classID: 76, side: side) }
    for scope: UInt64 in [0, 1] {
      var graph = Dependencies()
      #expect(graph.add(Dependency(from: one, to: other, guards: [side(.member)], scope: 1), scopes: [1]) == nil)
      #expect(graph.notePhases(75, scope: scope, scopes: [1]) == nil, "another class")
      #expect(graph.notePhases(76, scope: 2, scopes: [1]) == nil, "another test")
      #expect(graph.notePhases(76, scope: scope, scopes: [1]) == nil)
      let back = Dependency(from: other, to: one, guards: [side(.keptOut)], scope: 1)
      #expect(graph.add(back, scopes: [1]) != nil)
    }
    var graph = Dependencies()
    #expect(graph.add(Dependency(from: one, to: other, guards: [side(.member)])) == nil)
    #expect(graph.add(Dependency(from: other, to: one, guards: [side(.keptOut)])) == nil)
    #expect(graph.notePhases(76) != nil, "phases that are seen last")
    var early = Dependencies()
    #expect(early.notePhases(76) == nil)
    #expect(early.add(Dependency(from: one, to: other, guards: [side(.member)])) == nil)
    #expect(early.add(Dependency(from: other, to: one, guards: [side(.keptOut)])) != nil, "phases that are seen first")
    var locked = Dependencies()
    let lock = Self.guarding(8, "M")
    #expect(locked.add(Dependency(from: one, to: other, guards: [side(.member), lock])) == nil)
    #expect(locked.add(Dependency(from: other, to: one, guards: [side(.keptOut), lock])) == nil)
    #expect(locked.notePhases(76) == nil, "a lock that keeps them apart as well stays a guard")
  }

  @Test func `a wait whose guards were lost meets only waits that nothing could keep apart`() {
    func wait(
      _ ends: String, _ guards: [WaitGuard] = [], hasLostGuards: Bool = false, side: WaitGuard.Side? = .alone
    ) -> Dependency {
      let ends = ends.split(separator: ">").map { Self.resource(String($0)) }
      return Dependency(from: ends[0], to: ends[1], guards: Set(guards), hasLostGuards: hasLostGuards, side: side)
    }
    /// Whether the waits form a cycle. Tries each of them as the last one.
    func isCycle(_ waits: [Dependency]) -> Bool {
      let found = Set(
        waits.indices.map { last in
          var graph = Dependencies()
          return (waits[(last + 1)...] + waits[...last]).map { graph.add($0) }.contains { $0 != nil }
        })
      #expect(found.count == 1, "the order counts: \(waits)")
      return found == [true]
    }
    let lost = wait("A1>B1", hasLostGuards: true), seven = [Self.guarding(7)]
    // The thread that waits for B does not hold B.
    #expect(isCycle([lost, wait("B1>A1")]))
    #expect(!isCycle([lost, wait("B1>A1", seven)]), "seven may be among those that were lost")
    #expect(!isCycle([lost, wait("B1>A1", hasLostGuards: true)]))
    #expect(!isCycle([lost, wait("B1>C1"), wait("C1>A1")]), "C may be among those that were lost")
    #expect(isCycle([wait("A1>B1"), wait("B1>C1"), wait("C1>A1")]))
    #expect(!isCycle([lost, wait("B2>A2")]), "the thread may hold another B")
    #expect(isCycle([lost, wait("B1>C1"), wait("C1>A1", side: .run)]), "an activity is no other thread's")
    #expect(isCycle([lost, wait("B1>C1"), wait("C1>A1", side: nil)]), "main outside of a block is no guard")
    #expect(!isCycle([lost, wait("B1>C1", seven), wait("C1>A1", side: nil)]))
    /// The losses that are said.
    func omissions(_ waits: [Dependency]) -> [String] {
      var graph = Dependencies()
      for wait in waits { _ = graph.add(wait) }
      return graph.omissions()
    }
    let said = "possible cycles of waits beside more locks or signals than are kept: 1"
    #expect(omissions([lost, wait("B1>A1", seven)]) == [said])
    #expect(omissions([lost, wait("B1>C1"), wait("C1>A1")]) == [said])
    #expect(omissions([lost, wait("B1>C1", seven), wait("C1>D1", hasLostGuards: true)]) == [], "there is no cycle")
    #expect(omissions([lost, wait("B1>A1")]) == [], "it is reported")
    let eight = [Self.guarding(8)]
    #expect(
      omissions([wait("A1>B1", eight, hasLostGuards: true), wait("B1>A1", eight)]) == [], "a known guard excludes it")
  }

  @Test func `of a class whose making was not seen only the same resources connect`() {
    var graph = Dependencies()
    graph.noteUnrelated(65)
    #expect(graph.add(Dependency(from: Self.resource("A1"), to: Self.resource("B1"))) == nil)
    #expect(graph.add(Dependency(from: Self.resource("B1"), to: Self.resource("A2"))) == nil)
    #expect(graph.add(Dependency(from: Self.resource("B1"), to: Self.resource("A1"))) != nil)
  }

  @Test func `a long ring is a cycle`() {
    func resource(_ number: Int) -> WaitResource {
      WaitResource(instance: UInt64(number) + 1, classID: UInt32(number) + 1)
    }
    var graph = Dependencies()
    let found = (0..<60).map { graph.add(Dependency(from: resource($0), to: resource(($0 + 1) % 60))) }
    #expect(found.dropLast().allSatisfy { $0 == nil } && found.last??.dependencies.count == 60)
  }
}
