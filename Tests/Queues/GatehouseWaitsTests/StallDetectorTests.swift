import GatehouseWaits
import Testing

/// When a series of snapshots of a process shows a hang. Times are in seconds, those of the snapshots.
struct StallDetectorTests {
  /// One thread: its holds, and the resource that it waits for, with the starting time of the wait.
  private struct Row {
    let id: UInt32
    var holds: [UInt32] = []
    var wait: UInt32 = 0
    var since: UInt64 = 1
    var events: UInt64 = 0
    var isLimited = false

    var thread: ProcessSnapshot.Thread {
      ProcessSnapshot.Thread(
        id: id, events: events, waitingSince: wait == 0 ? nil : since * 1_000_000_000,
        wait: WatchedThread.Hold(resource(wait), at: []), holds: holds.map { WatchedThread.Hold(resource($0), at: []) },
        isLimited: isLimited)
    }
  }

  private func snapshot(
    at second: UInt64, _ rows: [Row], pending: Int64 = 0, running: Int64 = 0, ended: UInt64 = 0, timer: UInt64 = 0,
    queues: [ProcessSnapshot.Queue] = [], classes: [RecordedClass] = []
  ) -> ProcessSnapshot {
    ProcessSnapshot(
      processID: 9, mainThread: 1, threads: rows.map(\.thread), queues: queues, classes: classes,
      blocks: ProcessSnapshot.Blocks(pendingGlobal: pending, running: running, ended: ended), processors: 2,
      now: second * 1_000_000_000, timersUntil: timer * 1_000_000_000)
  }

  /// The detected sign for each snapshot, as a letter: a cycle, stillness, silence, exhaustion, or `-`.
  ///
  /// - Parameter system: the threads of the process at each check; the last value is used for all later checks.
  private func signs(
    _ snapshots: [ProcessSnapshot], system: [SystemThreads] = [], limit: Duration = .seconds(10)
  ) -> String {
    var detector = StallDetector(limit: limit)
    return snapshots.enumerated().map { index, snapshot in
      switch detector.look(at: snapshot, { system.isEmpty ? nil : system[min(index, system.count - 1)] }) {
      case .cycle: "c"
      case .stillness: "!"
      case .silence: "s"
      case .exhaustion: "e"
      case nil: "-"
      }
    }.joined()
  }

  private let crossed = [Row(id: 2, holds: [3], wait: 5), Row(id: 3, holds: [5], wait: 3)]

  @Test func `a cycle counts when its waits are old enough and its threads stand still`() {
    #expect(signs([snapshot(at: 5, crossed), snapshot(at: 10, crossed), snapshot(at: 11, crossed)]) == "--c")
    let moved = [Row(id: 2, holds: [3], wait: 5, events: 1), crossed[1]]
    #expect(signs([snapshot(at: 20, crossed), snapshot(at: 21, moved), snapshot(at: 22, moved)]) == "--c")
  }

  @Test func `a cycle counts while the rest of the program is busy`() {
    let busy = { (second: UInt64) in snapshot(at: second, crossed + [Row(id: 4, events: second)]) }
    #expect(signs([busy(20), busy(21)]) == "-c")
  }

  @Test func `silence is reported once each time that it begins`() {
    let rows = [Row(id: 2, holds: [3], wait: 101)]
    let moved = [Row(id: 2, holds: [3], wait: 101, events: 1)]
    let snapshots = [
      snapshot(at: 1, rows), snapshot(at: 11, rows), snapshot(at: 12, rows), snapshot(at: 13, moved),
      snapshot(at: 22, moved), snapshot(at: 23, moved),
    ]
    #expect(signs(snapshots) == "-s---s")
  }

  @Test func `threads that wait for signals and hold nothing are idle`() {
    let rows = [Row(id: 2, wait: 101), Row(id: 3, wait: 102)]
    #expect(signs([snapshot(at: 1, rows), snapshot(at: 100, rows)]) == "--")
    #expect(signs([snapshot(at: 1, rows, pending: 1), snapshot(at: 100, rows, pending: 1)]) == "-s")
  }

  @Test func `a pool that still grows is not exhausted`() {
    let rows = (2...9).map { Row(id: $0, wait: 101) }
    let short = { (second: UInt64) in snapshot(at: second, rows, pending: 100, running: 8) }
    #expect(signs([short(1), short(2), short(3), short(4)], limit: .seconds(1)) == "---s")
    let moving = { (second: UInt64, pending: Int64) in
      snapshot(at: second, rows + [Row(id: 99, events: second)], pending: pending, running: 8)
    }
    let all = SystemThreads((2...9).map { SystemThreads.Thread(id: $0, .waits) })
    #expect(signs([moving(1, 247), moving(20, 247)], system: [all]) == "--")
    #expect(signs([moving(1, 248), moving(20, 248)], system: [all]) == "-e")
    // Another thread may resolve their waits.
    let beside = SystemThreads(all.threads + [SystemThreads.Thread(id: 1, .acts)])
    #expect(signs([moving(1, 248), moving(20, 248)], system: [beside]) == "--")
    #expect(signs([moving(1, 248), moving(20, 248)]) == "--")
  }

  // MARK: - All threads waiting

  private let idle = [Row(id: 1, wait: 101), Row(id: 2, wait: 102)]

  /// The main thread and a second one, which both wait, and others.
  private func system(
    _ others: SystemThreads.Activity..., second: SystemThreads.Activity = .waits, stops: UInt64 = 7,
    handlesSignals: Bool = false
  ) -> SystemThreads {
    let others = others.enumerated().map { SystemThreads.Thread(id: UInt32($0 + 10), $1) }
    return SystemThreads(
      [SystemThreads.Thread(id: 1, .waits, stops: 3), SystemThreads.Thread(id: 2, second, stops: stops)] + others,
      handlesSignals: handlesSignals)
  }

  /// The signs of three checks, the last of which happens when the waits are old enough.
  private func signs(
    of rows: [Row], _ system: SystemThreads..., timer: UInt64 = 0, queues: [ProcessSnapshot.Queue] = [],
    classes: [RecordedClass] = []
  ) -> String {
    signs([1, 2, 12].map { snapshot(at: $0, rows, timer: timer, queues: queues, classes: classes) }, system: system)
  }

  @Test func `a process in which every thread waits is still, whatever it waits for`() {
    #expect(signs(of: idle, system()) == "--!")
    // Even if none of these waits is in the record.
    #expect(signs(of: [], system()) == "--!")
  }

  @Test func `a process is not still before the limit, nor without a look at its threads`() {
    let looks = [1, 2, 3, 11, 12].map { snapshot(at: $0, idle) }
    #expect(signs(looks, system: [system()]) == "----!")
    #expect(signs(looks) == "-----")
  }

  @Test func `threads that idle end no wait, and one that acts may`() {
    #expect(signs(of: idle, system(.idles, .idles)) == "--!")
    #expect(signs(of: idle, system(.acts)) == "---")
    // In a process of idle threads, nothing hangs.
    #expect(signs(of: idle, SystemThreads([SystemThreads.Thread(id: 1, .idles)])) == "---")
  }

  @Test func `a process with a handler for signals, or a timer, is not still`() {
    #expect(signs(of: idle, system(handlesSignals: true)) == "---")
    #expect(signs(of: idle, system(), timer: 13) == "---")
    // After its time, the timer cannot fire any more, and the limit begins.
    #expect(signs(of: idle, system(), timer: 2) == "--!")
    #expect(signs(of: idle, system(), timer: 3) == "---")
  }

  @Test func `a timer cannot fire on a queue that a waiting thread holds, nor on one that targets it`() {
    func queue(_ instance: UInt32, target: UInt64 = 0, until second: UInt64? = nil) -> ProcessSnapshot.Queue {
      ProcessSnapshot.Queue(
        instance: resource(instance).instance, target: target, classID: instance, pending: 0, suspended: 0, begun: 0,
        timersUntil: second.map { $0 * 1_000_000_000 } ?? .max)
    }
    let held = queue(3, until: 0), source = queue(9, target: held.instance)
    let waits = { (holds: [UInt32]) in [Row(id: 1, wait: 101), Row(id: 2, holds: holds, wait: 102)] }
    #expect(signs(of: waits([3]), system(), queues: [queue(3)]) == "--!")
    #expect(signs(of: waits([3]), system(), queues: [held, source]) == "--!")
    #expect(signs(of: waits([]), system(), queues: [held, source]) == "---", "nothing holds the queue")
    #expect(signs(of: waits([3]), system(), queues: [held, source, queue(11)]) == "--s", "another queue is free")
    #expect(signs(of: waits([5]), system(), queues: [held, source]) == "--s", "another queue is held")
    #expect(signs(of: waits([3]), system(), timer: 13, queues: [held, source]) == "--s", "nor a timer of no queue")
    #expect(signs(of: waits([]), system(), queues: [queue(3, until: 2)]) == "--!", "its time is over")
    // The record does not know what the thread waits for.
    let unknown = [Row(id: 1, wait: 101), Row(id: 2, holds: [3])]
    #expect(signs(of: unknown, system(), queues: [held, source]) == "--!")
    // An idle thread holds no queue, even if the record says so.
    #expect(signs(of: unknown, system(second: .idles), queues: [held, source]) != "--!")
  }

  @Test func `a wait with a limit is not for ever, and a thread that ends is waited for through a shared futex`() {
    #expect(signs(of: [idle[0], Row(id: 2, wait: 102, isLimited: true)], system()) == "---")
    let classes = [RecordedClass(.thread), RecordedClass(.semaphore)]
    let joins = [Row(id: 1, wait: 101), Row(id: 2, wait: 1)]
    #expect(signs(of: joins, system(second: .waitsShared), classes: classes) == "--!")
    let waits = [Row(id: 1, wait: 101), Row(id: 2, wait: 2)]
    #expect(signs(of: waits, system(second: .waitsShared), classes: classes) == "---")
  }

  @Test func `a thread that ran between two looks begins the limit anew`() {
    let looks = [1, 2, 12, 21, 22].map { snapshot(at: $0, idle) }
    let ran = system(stops: 8)
    #expect(signs(looks, system: [system(), system(), ran]) == "----!")
  }

  @Test func `a thread that acts for a moment is no silence, and does not begin the limit anew`() {
    let rows = [Row(id: 2, holds: [3], wait: 101), Row(id: 1, wait: 102)]
    let looks = [1, 2, 12, 13].map { snapshot(at: $0, rows) }
    #expect(signs(looks, system: [system(.idles), system(.idles), system(.acts), system(.idles)]) == "---!")
    #expect(signs(looks, system: [system(.acts)]) == "--s-")
  }

  @Test func `a wait with a limit makes no cycle`() {
    let limited = [crossed[0], Row(id: 3, holds: [5], wait: 3, isLimited: true)]
    #expect(signs([snapshot(at: 20, limited), snapshot(at: 21, limited)]) == "--")
  }

  @Test func `a pool that is not blocked for the limit is not exhausted, nor one whose threads are few`() {
    func short(_ second: UInt64, pending: Int64 = 300, running: Int64 = 8, ended: UInt64 = 0, since: UInt64 = 1)
      -> ProcessSnapshot
    {
      let rows = (2...9).map { Row(id: $0, wait: 101, since: since) } + [Row(id: 99, events: second)]
      return snapshot(at: second, rows, pending: pending, running: running, ended: ended)
    }
    let all = [SystemThreads((2...9).map { SystemThreads.Thread(id: $0, .waits) })]
    #expect(signs([short(1), short(20)], system: all) == "-e")
    #expect(signs([short(1), short(19, ended: 1), short(20, ended: 1)], system: all) == "---", "a block has ended")
    #expect(signs([short(1), short(20, since: 15)], system: all) == "--", "the waits are young")
    #expect(signs([short(1), short(20, running: 9)], system: all) == "--", "a block runs")
  }

  @Test func `silence comes at once where no thread may be added, and stillness waits for one that may`() {
    let holder = { (second: UInt64) in snapshot(at: second, [Row(id: 2, holds: [3], wait: 101)]) }
    #expect(signs([holder(1), holder(2)], limit: .seconds(1)) == "-s")
    let starved = { (second: UInt64) in snapshot(at: second, idle + [Row(id: 3, wait: 103)], pending: 1, running: 2) }
    #expect(signs([1, 2, 3, 4].map(starved), system: [system(.waits)], limit: .seconds(1)) == "---!")
  }

  private func queue(
    _ id: UInt32, target: UInt64 = 0, pending: Int32 = 1, suspended: Int32 = 0, begun: UInt64 = 0
  ) -> ProcessSnapshot.Queue {
    ProcessSnapshot.Queue(
      instance: resource(id).instance, target: target, classID: id, pending: pending, suspended: suspended,
      begun: begun)
  }

  @Test func `a block that may begin is demand, and one that has begun is progress`() {
    func signs(_ queues: ProcessSnapshot.Queue...) -> String {
      self.signs(queues.enumerated().map { snapshot(at: [1, 11, 12][$0], idle, queues: [$1]) })
    }
    #expect(signs(queue(3), queue(3), queue(3)) == "-s-")
    #expect(signs(queue(3, suspended: 1), queue(3, suspended: 1), queue(3, suspended: 1)) == "---")
    #expect(signs(queue(3), queue(3, begun: 1), queue(3, begun: 1)) == "---")
  }

  /// Returns the report about a process in which no thread makes progress.
  private func kind(
    _ rows: [Row], _ queues: [ProcessSnapshot.Queue] = [], pending: Int64 = 0, running: Int64 = 0,
    classes: [RecordedClass] = []
  ) throws -> WaitReport {
    let snapshot = snapshot(at: 20, rows, pending: pending, running: running, queues: queues, classes: classes)
    return try #require(snapshot.finding(.stillness, .plain)).report
  }

  @Test func `threads are short if one for each processor waits, and a block could begin`() throws {
    let two = [Row(id: 2, wait: 101), Row(id: 3, wait: 103)]
    #expect(try kind(two, pending: 1).kind == .poolExhausted)
    #expect(try kind(two).kind == .stall, "no block")
    #expect(try kind([two[0]], pending: 1).kind == .stall, "a processor is free")
    #expect(try kind([two[0], Row(id: 1, wait: 101)], pending: 1).kind == .stall, "main runs no block")
    #expect(try kind(two, pending: 1, running: 3).kind == .stall, "another block runs")
    #expect(try kind(two, [queue(3)]).kind == .poolExhausted)
    let holder = [Row(id: 2, holds: [3], wait: 101), two[1]]
    #expect(try kind(holder, [queue(3)]).kind == .stall, "its queue is held")
    #expect(try kind(holder, [queue(5, target: resource(3).instance)]).kind == .stall, "and so is its target")
    let shared = [RecordedClass(.serialQueue), RecordedClass(.serialQueue), RecordedClass(.concurrentQueue)]
    let readers = [Row(id: 2, wait: 101), Row(id: 3, wait: 103), Row(id: 1, holds: [3], wait: 101)]
    #expect(try kind(readers, [queue(3)], classes: shared).kind == .stall, "main holds its queue")
  }

  @Test func `what a still process lacks first is told`() throws {
    let main = [RecordedClass(.mainQueue)]
    let undrained = [Row(id: 1, holds: [1], wait: 101), Row(id: 2, wait: 1)]
    #expect(try kind(undrained, classes: main).kind == .undrainedQueue)
    let held = try kind([Row(id: 2, holds: [3], wait: 101), Row(id: 4, wait: 3)])
    #expect(held.kind == .stall && held.name == "queue 3" && held.summary.contains("thread holds queue 3"))
  }

  @Test func `the report of a still process says what is known`() throws {
    func report(_ rows: [Row], classes: [RecordedClass] = []) throws -> WaitReport {
      let found = try #require(snapshot(at: 20, rows, classes: classes).finding(.stillness, .plain))
      #expect(found.isCertain)
      return found.report
    }
    let lost = try report(idle)
    #expect(lost.kind == .stall && lost.name == "signal s101, signal s102" && lost.waits.count == 2)
    #expect(try report([]).name == "all threads")
    // Class 1 is Swift's pool, which a thread that runs a task holds.
    let tasks = try report([Row(id: 2, holds: [1], wait: 101), idle[0]], classes: [RecordedClass(.pool)])
    #expect(tasks.kind == .poolExhausted && tasks.name == "Swift's pool" && tasks.waits.map(\.thread) == [2])
    #expect(tasks.rule.contains("Await"))
  }

  @Test func `silence beside a thread that acts is never certain`() throws {
    let rows = [Row(id: 2, holds: [3], wait: 101), Row(id: 4, wait: 3)]
    #expect(try #require(snapshot(at: 20, rows).finding(.silence, .plain)).isCertain == false)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero]) func `a limit of any length is a limit`(
    limit: Duration
  ) {
    let found = signs([snapshot(at: 20, crossed), snapshot(at: 21, crossed)], limit: limit)
    #expect(found == (limit > .zero ? "--" : "-c"))
  }
}
