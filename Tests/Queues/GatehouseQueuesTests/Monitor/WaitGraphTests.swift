import GatehouseQueues
import Testing

/// Which waits close a circle, and which only look like it.
@Suite struct WaitGraphTests {
  /// A thing of class `name.first`, instance `name`; in lower case others may hold it too.
  private static func thing(_ name: String) -> WaitThing {
    let bytes = Array(name.uppercased().utf8)
    return WaitThing(
      instance: UInt64(bytes[0]) << 8 | UInt64(bytes.count > 1 ? bytes[1] : 0), classID: UInt32(bytes[0]),
      isShared: name == name.lowercased())
  }

  /// A guard of the class that is named by a letter.
  private static func guarding(_ instance: UInt64, _ kind: String = "L") -> WaitGuard {
    WaitGuard(instance: instance, classID: UInt32(kind.utf8.first ?? 0))
  }

  /// Feeds waits, `A1>B1`, and answers the classes of each cycle that was found.
  private func cycles(_ waits: String, barriers: String = "", scope: UInt64 = 0) -> [String] {
    var graph = WaitGraph()
    var found: [String] = []
    for barrier in barriers.utf8 { _ = graph.noteBarrier(UInt32(barrier)) }
    for wait in waits.split(separator: " ") {
      let ends = wait.split(separator: ">")
      let edge = WaitEdge(from: Self.thing(String(ends[0])), to: Self.thing(String(ends[1])), scope: scope)
      guard let cycle = graph.add(edge) else { continue }
      found.append(cycle.edges.map { String(UnicodeScalar(UInt8($0.from.classID))) }.joined())
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

  @Test func `other things of the same two classes are enough`() {
    #expect(cycles("A1>B1 B2>A2") == ["BA"])
  }

  @Test func `two of one class are reported when both orders were seen`() {
    #expect(cycles("A1>A2 A2>A3 A1>A3") == [])
    #expect(cycles("A1>A2 A2>A1") == ["AA"])
    #expect(cycles("A1>A2 A2>A3 A3>A1") == ["AAA"])
  }

  @Test func `a tree of two classes in turns, walked downwards, is silent`() {
    // What one thread that goes down to A3 would show: everything it holds, before each wait.
    #expect(cycles("A1>B1 A1>A2 B1>A2 A1>B2 B1>B2 A2>B2") == [])
    // And when each step is another thread's, so that no thread holds more than one.
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
    var graph = WaitGraph()
    #expect(graph.add(WaitEdge(from: Self.thing("q1"), to: Self.thing("A1"))) == nil)
    #expect(graph.add(WaitEdge(from: Self.thing("A1"), to: Self.thing("q1"))) == nil)
    #expect(graph.noteBarrier(81)?.edges.count == 2, "a barrier that comes later")
  }

  @Test func `a writer waits for readers`() {
    #expect(cycles("A1>q1 Q1>A1") == ["QA"])
    #expect(cycles("A1>Q1 q1>A1") == ["QA"])
  }

  @Test func `a thread that waits for itself is always reported`() {
    var graph = WaitGraph()
    for _ in 0..<2 {
      #expect(graph.add(WaitEdge(.itself, from: Self.thing("A1"), to: Self.thing("A1")))?.edges.count == 1)
    }
  }

  @Test func `tests do not see each other, and all see what belongs to none`() {
    var graph = WaitGraph()
    let there = (Self.thing("A1"), Self.thing("B1")), back = (there.1, there.0)
    #expect(graph.add(WaitEdge(from: there.0, to: there.1, scope: 1), scopes: [1, 2]) == nil)
    #expect(graph.add(WaitEdge(from: back.0, to: back.1, scope: 2), scopes: [1, 2]) == nil)
    #expect(graph.add(WaitEdge(from: back.0, to: back.1, scope: 0), scopes: [1, 2])?.scope == 1)
  }

  @Test func `many waits of one test leave room for those of another`() {
    var graph = WaitGraph()
    for number in 0..<200 {
      let one = WaitThing(instance: UInt64(1000 + number), classID: 65)
      let other = WaitThing(instance: UInt64(2000 + number), classID: 66)
      #expect(graph.add(WaitEdge(from: one, to: other, scope: 1), scopes: [1, 2]) == nil)
    }
    let there = (Self.thing("A1"), Self.thing("B1"))
    #expect(graph.add(WaitEdge(from: there.0, to: there.1, scope: 2), scopes: [1, 2]) == nil)
    #expect(graph.add(WaitEdge(from: there.1, to: there.0, scope: 2), scopes: [1, 2])?.scope == 2)
  }

  @Test func `waits under one lock never happen at once`() {
    var graph = WaitGraph()
    let one = Self.thing("A1"), other = Self.thing("B1")
    let seven = Self.guarding(7), eight = Self.guarding(8), nine = Self.guarding(9)
    #expect(graph.add(WaitEdge(from: one, to: other, guards: [seven, eight])) == nil)
    #expect(graph.add(WaitEdge(from: other, to: one, guards: [eight, nine])) == nil)
    #expect(graph.add(WaitEdge(from: other, to: one, guards: [nine])) != nil, "and once without it is enough")
  }

  @Test func `where things stand for others of their class, so do their guards`() {
    var graph = WaitGraph()
    let one = WaitEdge(from: Self.thing("A1"), to: Self.thing("B1"), guards: [Self.guarding(7, "L")])
    let other = WaitEdge(from: Self.thing("B2"), to: Self.thing("A2"), guards: [Self.guarding(8, "L")])
    #expect(graph.add(one) == nil && graph.add(other) == nil)
    let apart = WaitEdge(from: Self.thing("B3"), to: Self.thing("A3"), guards: [Self.guarding(9, "M")])
    #expect(graph.add(apart) != nil, "locks of another kind keep nobody apart")
  }

  @Test func `of the things themselves only the very same guard counts`() {
    var graph = WaitGraph()
    let one = Self.thing("A1"), other = Self.thing("B1")
    #expect(graph.add(WaitEdge(from: one, to: other, guards: [Self.guarding(7, "L")])) == nil)
    #expect(graph.add(WaitEdge(from: other, to: one, guards: [Self.guarding(8, "L")])) != nil)
  }

  @Test func `signs that are given in turns are no circle, with one real wait they are`() {
    var graph = WaitGraph()
    let left = Self.thing("L1"), right = Self.thing("R1")
    #expect(graph.add(WaitEdge(.signal(Self.thing("S1")), from: left, to: right)) == nil)
    #expect(graph.add(WaitEdge(.signal(Self.thing("S2")), from: right, to: left)) == nil)
    #expect(graph.add(WaitEdge(from: right, to: left)) != nil)
  }

  @Test func `a test that has ended is forgotten`() {
    var graph = WaitGraph()
    #expect(graph.add(WaitEdge(from: Self.thing("A1"), to: Self.thing("B1"), scope: 1), scopes: [1]) == nil)
    graph.forget(scope: 1)
    #expect(graph.add(WaitEdge(from: Self.thing("B1"), to: Self.thing("A1"), scope: 1), scopes: [1]) == nil)
  }

  @Test func `many things of two classes take bounded time and memory`() {
    var graph = WaitGraph()
    for number in 0..<2_000 {
      let edge = WaitEdge(
        from: WaitThing(instance: UInt64(number) << 1 | 1, classID: 1),
        to: WaitThing(instance: UInt64(number + 10_000) << 1, classID: 2))
      #expect(graph.add(edge) == nil)
    }
    let back = WaitEdge(from: WaitThing(instance: 20_000, classID: 2), to: WaitThing(instance: 1, classID: 1))
    #expect(graph.add(back) != nil)
  }

  @Test func `of one class, the order of many things is remembered`() {
    var graph = WaitGraph()
    func thing(_ number: Int) -> WaitThing { WaitThing(instance: UInt64(number), classID: 1) }
    for number in 0..<1_000 { #expect(graph.add(WaitEdge(from: thing(2 * number), to: thing(2 * number + 1))) == nil) }
    #expect(graph.add(WaitEdge(from: thing(1_999), to: thing(1_998))) != nil)
  }

  @Test func `what is forgotten takes no room`() {
    var graph = WaitGraph()
    let semaphore = WaitThing(instance: 9, classID: 2)
    for number: UInt64 in 100..<200 {
      #expect(graph.add(WaitEdge(from: WaitThing(instance: number, classID: 1), to: semaphore)) == nil)
    }
    graph.forget(instance: 9)
    let one = WaitThing(instance: 1, classID: 1), other = WaitThing(instance: 2, classID: 2)
    #expect(graph.add(WaitEdge(from: one, to: other)) == nil)
    #expect(graph.add(WaitEdge(from: other, to: one)) != nil)
  }
}
