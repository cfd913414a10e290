import GatehouseWaits
import Synchronization
import Testing

/// What the record of a process shows, from plain values.
@Suite struct RecordAnalysisTests {
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

/// What was prepared. Used from one thread.
private final class Prepared: Sendable {
  private let batches = Mutex<[[UInt]]>([])

  var all: [[UInt]] { batches.withLock { $0 } }
  func add(_ batch: [UInt]) { batches.withLock { $0.append(batch) } }
}
