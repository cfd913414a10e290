import GatehouseWaits
import Synchronization
import Testing

/// The analysis of a process's record, from plain values.
struct RecordAnalysisTests {
  private func analysis(
    _ dependencies: [Dependency], classes: [RecordedClass] = [], waits: [UnattributedWait] = []
  ) -> RecordAnalysis {
    RecordAnalysis(classes: classes, dependencies: dependencies, waits: waits, names: .plain)
  }

  @Test func `each cycle is reported once`() {
    let there = Dependency(from: resource(1), to: resource(3)), back = Dependency(from: resource(3), to: resource(1))
    #expect(analysis([there, back, there, back]).reports.map(\.name) == ["queue 1 → queue 3 → queue 1"])
    #expect(analysis([there, there]).reports.isEmpty)
  }

  /// A thread waits for 3 while it holds 1 and 2, and another one for 1 while it holds 3.
  @Test func `two cycles of the same waits are one report`() {
    func wait(_ from: UInt32, _ to: UInt32, thread: UInt32, number: UInt64) -> Dependency {
      Dependency(from: resource(from), to: resource(to), thread: thread, number: number)
    }
    let held = [wait(1, 2, thread: 7, number: 1), wait(1, 3, thread: 7, number: 2), wait(2, 3, thread: 7, number: 2)]
    let back = wait(3, 1, thread: 8, number: 2), backToInner = wait(3, 2, thread: 8, number: 3)
    #expect(analysis(held + [back]).reports.map(\.name) == ["queue 1 → queue 3 → queue 1"])
    #expect(analysis([back] + held.reversed()).reports.map(\.name) == ["queue 1 → queue 3 → queue 1"])
    #expect(analysis(held + [back, backToInner]).reports.count == 2)
    // Another wait may be for 3 under 2 alone.
    let apart = Dependency(from: resource(2), to: resource(3), thread: 7, number: 9)
    #expect(analysis([held[0], held[1], apart, back]).reports.count == 2)
  }

  @Test func `a semaphore that is no lock is in no cycle`() {
    let there = Dependency(from: resource(1), to: resource(2)), back = Dependency(from: resource(2), to: resource(1))
    let noLock = [RecordedClass(.serialQueue), RecordedClass(.semaphoreLock, isNoLock: true)]
    #expect(analysis([there, back]).reports.count == 1)
    #expect(analysis([there, back], classes: noLock).reports.isEmpty)
  }

  @Test func `a barrier that was used later counts for all waits`() {
    let shared = resource(1, isShared: true)
    let waits = [Dependency(from: shared, to: resource(3)), Dependency(from: resource(3), to: shared)]
    #expect(analysis(waits).reports.isEmpty)
    #expect(analysis(waits, classes: [RecordedClass(.concurrentQueue, hasBarriers: true)]).reports.count == 1)
  }

  @Test func `a cycle through a signal counts only for the same resources`() {
    let signal = WaitResource(instance: 9, classID: 101)
    let given = Dependency(.signal(signal), from: resource(1), to: resource(3))
    let back = Dependency(from: resource(3), to: resource(1))
    let other = Dependency(
      from: WaitResource(instance: 33, classID: 3), to: WaitResource(instance: 11, classID: 1))
    #expect(analysis([given, back]).reports.first?.waits.first?.signal == "signal s101")
    #expect(analysis([given, other]).reports.isEmpty)
  }

  @Test(arguments: [12, 60]) func `resources in one knot are one report, with few edges to cut`(count: UInt32) throws {
    let ids = (1...count).map { $0 * 2 }
    let waits = ids.flatMap { from in
      ids.filter { $0 != from }.map { Dependency(from: resource(from), to: resource($0)) }
    }
    let reports = analysis(waits).reports
    let report = try #require(reports.first)
    #expect(reports.count == 1 && report.name.hasPrefix("knot of \(count): ") && report.waits.count == 8)
    #expect(report.summary.contains(count == 12 ? "At least 66 kinds" : "as far as was searched"), "\(report.summary)")
  }

  /// Each resource waits for the next one and one other. There are more cycles than a person would read.
  @Test func `a sparse tangle is one report, and a few rings are one each`() {
    let ids = (0..<60).map { UInt32($0 + 1) * 2 }
    let ring = ids.indices.map { Dependency(from: resource(ids[$0]), to: resource(ids[($0 + 1) % 60])) }
    let more = ids.indices.map { Dependency(from: resource(ids[$0]), to: resource(ids[($0 * 7 + 3) % 60])) }
    let tangle = analysis(ring + more.filter { $0.from != $0.to }).reports
    #expect(tangle.count == 1 && tangle.first?.name.hasPrefix("knot of 60: ") == true, "\(tangle.map(\.name))")
    #expect(analysis(ring).reports.map(\.waits.count) == [60])
    // Three pairs that wait for each other, in a ring of sixty: four cycles.
    let pairs = [0, 20, 40].map { Dependency(from: resource(ids[$0 + 1]), to: resource(ids[$0])) }
    #expect(analysis(ring + pairs).reports.map(\.waits.count).sorted() == [2, 2, 2, 60])
    // Twelve pairs: more rings than a knot's limit, but few enough to search for.
    let all = (0..<12).map { Dependency(from: resource(ids[$0 * 5 + 1]), to: resource(ids[$0 * 5])) }
    #expect(analysis(ring + all).reports.count == 1)
  }

  /// Each resource waits for the next ones.
  @Test(arguments: [3, 4, 8, 9, 26, 27, 32, 33, 100, 1_000], [1, 2])
  func `rings and knots of any size are one report each`(count: Int, ways: Int) throws {
    let ids = (0..<count).map { UInt32($0 + 1) * 2 }
    let waits = ids.indices.flatMap { from in
      (1...ways).map { Dependency(from: resource(ids[from]), to: resource(ids[(from + $0) % count])) }
    }
    let analysis = analysis(waits)
    let report = try #require(analysis.reports.first)
    #expect(analysis.reports.count == 1 && analysis.omissions.isEmpty, "\(analysis.omissions)")
    #expect(ways == 1 ? report.waits.count == count : report.name.hasPrefix("knot of \(count): "), "\(report.name)")
  }

  /// As locks in one array: most are first seen at one place, and one resource of a class proves nothing about another.
  @Test(arguments: [10, 100, 1_000], [1, 2])
  func `rings and knots of locks of few classes are one report each`(count: Int, ways: Int) throws {
    func lock(_ number: Int) -> WaitResource {
      WaitResource(instance: UInt64(number + 100), classID: number == 0 ? 1 : 2)
    }
    let waits = (0..<count).flatMap { from in
      (1...ways).map { Dependency(from: lock(from), to: lock((from + $0) % count)) }
    }
    let locks = [RecordedClass(.mutex, isUnrelated: true), RecordedClass(.mutex, isUnrelated: true)]
    let analysis = RecordAnalysis(classes: locks, dependencies: waits, waits: [], names: .plain)
    #expect(analysis.reports.count == 1 && analysis.omissions.isEmpty, "\(analysis.omissions)")
  }

  /// Three kinds of locks, each pair of which is taken in both orders.
  @Test func `a knot of locks of three classes is one report for each pair that has a cycle`() {
    func lock(_ number: Int, _ kind: UInt32) -> WaitResource {
      WaitResource(instance: UInt64(number) * 4 + UInt64(kind), classID: kind)
    }
    var waits: [Dependency] = []
    for number in 0..<20 {
      for (one, other) in [(lock(number, 1), lock(number, 2)), (lock(number, 2), lock(number + 1, 3))] {
        waits += [Dependency(from: one, to: other), Dependency(from: other, to: one)]
      }
      let (one, other) = (lock(number, 1), lock(number + 1, 1))
      waits += [Dependency(from: one, to: other), Dependency(from: other, to: one)]
    }
    let locks = (0..<3).map { _ in RecordedClass(.mutex, isUnrelated: true) }
    let analysis = RecordAnalysis(classes: locks, dependencies: waits, waits: [], names: .plain)
    #expect(Set(analysis.reports.map { Set($0.waits.map(\.held)).count }) == [1, 2], "\(analysis.reports.map(\.name))")
    #expect(analysis.reports.count == 3 && analysis.omissions.isEmpty, "\(analysis.reports.map(\.name))")
  }

  /// Two ways from each of two resources of a layer to the next layer, each under a guard of its own, and one way back
  /// from the last layer under all of them. No cycle is left, and there are many ways to look at.
  @Test func `a tangle that is not looked through is said`() {
    let layers = 20
    func node(_ layer: Int, _ side: Int) -> WaitResource { resource(UInt32(2 * (2 * layer + side) + 1)) }
    func gate(_ layer: Int, _ from: Int, _ to: Int) -> WaitGuard {
      WaitGuard(instance: UInt64(1_000 + 4 * layer + 2 * from + to), classID: UInt32(1_000 + 4 * layer + 2 * from + to))
    }
    let onward = (0..<layers - 1).flatMap { layer in
      [(0, 0), (0, 1), (1, 0), (1, 1)].map { from, to in
        Dependency(from: node(layer, from), to: node(layer + 1, to), guards: [gate(layer, from, to)])
      }
    }
    let all = Set((0..<layers - 1).flatMap { layer in [(0, 0), (0, 1), (1, 0), (1, 1)].map { gate(layer, $0, $1) } })
    let back = [0, 1].map { Dependency(from: node(layers - 1, $0), to: node(0, 0), guards: all) }
    let analysis = analysis(onward + back + [Dependency(from: node(0, 0), to: node(0, 1))])
    let said = "resources lead to each other; not all of their cycles were looked for"
    #expect(analysis.reports.isEmpty && analysis.omissions.contains { $0.hasSuffix(said) }, "\(analysis.omissions)")
  }

  @Test func `an ended search tells what it has, and that it was ended`() {
    let there = Dependency(from: resource(1), to: resource(3)), back = Dependency(from: resource(3), to: resource(1))
    let ended = RecordAnalysis(classes: [], dependencies: [there, back], waits: [], names: .plain, isEnded: { true })
    #expect(ended.reports.count == 1, "a search of a few steps is not ended")
  }

  @Test func `names are not looked up for waits that nothing tells`() {
    let prepared = Prepared()
    let names = WaitNames(resourceClass: testClass, prepare: { prepared.add($0) }, stack: { _ in CallStack() })
    func hold(_ id: UInt32, _ frame: UInt) -> WatchedThread.Hold { WatchedThread.Hold(resource(id), at: [frame]) }
    let waits = [
      UnattributedWait(thread: 2, isCooperative: false, held: hold(1, 10), asked: hold(101, 11)),
      UnattributedWait(thread: 3, isCooperative: true, held: nil, asked: hold(103, 12)),
      UnattributedWait(thread: 4, isCooperative: false, held: nil, asked: hold(105, 13)),
    ]
    let found = RecordAnalysis(classes: [], dependencies: [], waits: waits, names: names)
    #expect(found.blocked.count == 1 && prepared.all.flatMap(\.self) == [12])
    #expect(found.unattributed.count == 1 && prepared.all.flatMap(\.self) == [12, 11])
  }

  @Test func `resources with an order are no knot, and neither are waits under one lock`() {
    let ids = (1...12).map { UInt32($0) * 2 }
    func waits(_ guards: Set<WaitGuard>, _ isKept: (UInt32, UInt32) -> Bool) -> [Dependency] {
      ids.flatMap { from in
        ids.filter { isKept(from, $0) }.map { Dependency(from: resource(from), to: resource($0), guards: guards) }
      }
    }
    #expect(analysis(waits([]) { $0 < $1 }).reports.isEmpty)
    #expect(analysis(waits([WaitGuard(instance: 999, classID: 999)]) { $0 != $1 }).reports.isEmpty)
  }

  @Test func `what only the main queue keeps apart is a note, and with the option a report`() {
    let main: Set = [WaitGuard(instance: 999, classID: 999, side: .main)]
    let waits = [
      Dependency(from: resource(1), to: resource(3), guards: main),
      Dependency(from: resource(3), to: resource(1), guards: main),
    ]
    #expect(analysis(waits).reports.isEmpty && analysis(waits).notes.map(\.isNote) == [true])
    let strict = RecordAnalysis(classes: [], dependencies: waits, waits: [], names: .plain, mainIsNoGuard: true)
    #expect(strict.reports.map(\.isNote) == [false] && strict.notes.isEmpty)
  }

  @Test func `a group that is used in phases keeps no waits apart`() {
    func side(_ side: WaitGuard.Side) -> Set<WaitGuard> { [WaitGuard(instance: 9, classID: 3, side: side)] }
    let waits = [
      Dependency(from: resource(1), to: resource(2), guards: side(.member)),
      Dependency(from: resource(2), to: resource(1), guards: side(.keptOut)),
    ]
    func classes(_ isNoGuard: Bool) -> [RecordedClass] {
      [RecordedClass(.serialQueue), RecordedClass(.mutex), RecordedClass(.group, isNoGuard: isNoGuard)]
    }
    #expect(analysis(waits, classes: classes(false)).reports.isEmpty)
    #expect(analysis(waits, classes: classes(true)).reports.count == 1)
  }

  @Test func `waits whose giver is unknown are told, with what was held`() {
    let asked = WatchedThread.Hold(resource(101), at: [7]), held = WatchedThread.Hold(resource(1), at: [])
    let waits = [
      UnattributedWait(thread: 2, isCooperative: false, held: held, asked: asked),
      UnattributedWait(thread: 3, isCooperative: true, held: nil, asked: asked),
    ]
    let found = analysis([], waits: waits)
    #expect(found.unattributed == ["queue 1 held, signal s101 waited for at f7 at File.swift:1"])
    #expect(found.blocked.map(\.kind) == [.blockedPoolThread] && found.blocked.first?.waits.first?.thread == 3)
    let given = Dependency(.signal(resource(101)), from: resource(1), to: resource(3))
    #expect(analysis([given], waits: waits).unattributed.isEmpty)
  }

  @Test func `names are looked up for the waits of cycles alone, and all at once`() {
    let prepared = Prepared()
    let names = WaitNames(
      resourceClass: testClass, prepare: { prepared.add($0) }, stack: { _ in CallStack() })
    let waits = [
      Dependency(from: resource(1), to: resource(3), heldAt: [1], waitedAt: [2]),
      Dependency(from: resource(3), to: resource(1), heldAt: [3], waitedAt: [4]),
      Dependency(from: resource(1), to: resource(5), heldAt: [5], waitedAt: [6]),
    ]
    let classes = [
      RecordedClass(.serialQueue, makers: [10]), RecordedClass(.mutex), RecordedClass(.serialQueue, makers: [30]),
    ]
    #expect(RecordAnalysis(classes: classes, dependencies: waits, waits: [], names: names).reports.count == 1)
    #expect(prepared.all.map { Set($0) } == [[1, 2, 3, 4, 10, 30]])
  }
}

/// The prepared addresses. Used from one thread.
private final class Prepared: Sendable {
  private let batches = Mutex<[[UInt]]>([])

  var all: [[UInt]] { batches.withLock { $0 } }
  func add(_ batch: [UInt]) { batches.withLock { $0.append(batch) } }
}
