import GatehouseWaits
import Testing

/// When one snapshot of a process after another shows a hang. Seconds are those of the snapshots.
@Suite struct StallDetectorTests {
  /// One thread: what it holds, and since which second it waits for what.
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
    classes: [RecordedClass] = []
  ) -> ProcessSnapshot {
    ProcessSnapshot(
      processID: 9, mainThread: 1, threads: rows.map(\.thread), queues: [], classes: classes,
      blocks: ProcessSnapshot.Blocks(pendingGlobal: pending, running: running, ended: ended), processors: 2,
      now: second * 1_000_000_000, timersUntil: timer * 1_000_000_000)
  }

  /// What each snapshot shows, as a letter: a cycle, stillness, silence, exhaustion, or `-`.
  ///
  /// - Parameter system: the threads of the process at each look; the last ones count for all later looks.
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
    // Another thread may give what they wait for.
    let beside = SystemThreads(all.threads + [SystemThreads.Thread(id: 1, .acts)])
    #expect(signs([moving(1, 248), moving(20, 248)], system: [beside]) == "--")
    #expect(signs([moving(1, 248), moving(20, 248)]) == "--")
  }

  // MARK: - When every thread waits

  private let idle = [Row(id: 1, wait: 101), Row(id: 2, wait: 102)]

  /// The main thread and a second one, which wait, and more.
  private func system(
    _ others: SystemThreads.Activity..., second: SystemThreads.Activity = .waits, stops: UInt64 = 7,
    handlesSignals: Bool = false
  ) -> SystemThreads {
    let others = others.enumerated().map { SystemThreads.Thread(id: UInt32($0 + 10), $1) }
    return SystemThreads(
      [SystemThreads.Thread(id: 1, .waits, stops: 3), SystemThreads.Thread(id: 2, second, stops: stops)] + others,
      handlesSignals: handlesSignals)
  }

  /// The signs of three looks, of which the last one comes when the waits are old enough.
  private func signs(
    of rows: [Row], _ system: SystemThreads..., timer: UInt64 = 0, classes: [RecordedClass] = []
  ) -> String {
    signs([1, 2, 12].map { snapshot(at: $0, rows, timer: timer, classes: classes) }, system: system)
  }

  @Test func `a process in which every thread waits is still, whatever it waits for`() {
    #expect(signs(of: idle, system()) == "--!")
    // Even if the record knows of none of these waits.
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
    // A process of idle threads has nothing that hangs.
    #expect(signs(of: idle, SystemThreads([SystemThreads.Thread(id: 1, .idles)])) == "---")
  }

  @Test func `a process with a handler for signals, or a timer, is not still`() {
    #expect(signs(of: idle, system(handlesSignals: true)) == "---")
    #expect(signs(of: idle, system(), timer: 13) == "---")
    // From its time on nothing can fire, and the limit begins.
    #expect(signs(of: idle, system(), timer: 2) == "--!")
    #expect(signs(of: idle, system(), timer: 3) == "---")
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

  @Test func `the report of a still process says what is known`() throws {
    func report(_ rows: [Row], classes: [RecordedClass] = []) throws -> WaitReport {
      let found = try #require(snapshot(at: 20, rows, classes: classes).finding(.stillness, .plain))
      #expect(found.isCertain)
      return found.report
    }
    let lost = try report(idle)
    #expect(lost.kind == .stall && lost.name == "signal s101, signal s102" && lost.waits.count == 2)
    #expect(try report([]).name == "all threads")
    // Class 1 is Swift's pool: a thread that runs a task holds it.
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
