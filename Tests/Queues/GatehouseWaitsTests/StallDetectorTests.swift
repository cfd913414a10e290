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

    var thread: ProcessSnapshot.Thread {
      ProcessSnapshot.Thread(
        id: id, events: events, waitingSince: wait == 0 ? nil : since * 1_000_000_000,
        wait: WatchedThread.Hold(resource(wait), at: []), holds: holds.map { WatchedThread.Hold(resource($0), at: []) })
    }
  }

  private func snapshot(
    at second: UInt64, _ rows: [Row], pending: Int64 = 0, running: Int64 = 0, ended: UInt64 = 0
  ) -> ProcessSnapshot {
    ProcessSnapshot(
      processID: 9, mainThread: 1, threads: rows.map(\.thread), queues: [], classes: [],
      blocks: ProcessSnapshot.Blocks(pendingGlobal: pending, running: running, ended: ended), processors: 2,
      now: second * 1_000_000_000)
  }

  /// What each snapshot shows, as a letter: a cycle, silence, exhaustion, or `-`.
  private func signs(_ snapshots: [ProcessSnapshot], limit: Duration = .seconds(10)) -> String {
    var detector = StallDetector(limit: limit)
    return snapshots.map { snapshot in
      switch detector.look(at: snapshot) {
      case .cycle: "c"
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
    #expect(signs([moving(1, 247), moving(20, 247)]) == "--")
    #expect(signs([moving(1, 248), moving(20, 248)]) == "-e")
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero]) func `a limit of any length is a limit`(
    limit: Duration
  ) {
    let found = signs([snapshot(at: 20, crossed), snapshot(at: 21, crossed)], limit: limit)
    #expect(found == (limit > .zero ? "--" : "-c"))
  }
}
