import GatehouseWaits
import Testing

/// Which waits are a hang, and the text of its report. The main queue is 1.
struct HangAnalysisTests {
  private func finding(
    _ threads: [WatchedThread], _ backlogs: [Backlog] = [], targets: [UInt64: UInt64] = [:]
  ) -> HangFinding? {
    HangAnalysis(threads: threads, backlogs: backlogs, targets: targets, isMain: { $0.instance == 1 }).finding(.plain)
  }

  @Test func `threads that wait for each other are a deadlock`() throws {
    let found = try #require(
      finding([
        thread(2, holds: [resource(3)], waitsFor: resource(5)), thread(3, holds: [resource(5)], waitsFor: resource(3)),
      ]))
    #expect(found.isCertain && found.report.kind == .stall && found.report.name == "queue 3 → queue 5")
    #expect(found.report.waits.map(\.thread) == [2, 3])
  }

  @Test func `a deadlock has one name, whichever thread comes first`() {
    let names = [[2, 3], [3, 2]].map { ids in
      finding(
        [
          thread(ids[0], holds: [resource(3)], waitsFor: resource(5)),
          thread(ids[1], holds: [resource(5)], waitsFor: resource(3)),
        ].sorted { $0.id < $1.id })?.report.name
    }
    #expect(names == ["queue 3 → queue 5", "queue 3 → queue 5"])
  }

  @Test func `a thread that waits for what it holds is a deadlock`() {
    #expect(finding([thread(2, holds: [resource(4)], waitsFor: resource(4))])?.isCertain == true)
  }

  @Test func `a queue is held through the queue that it targets`() throws {
    let threads = [
      thread(2, holds: [resource(3)], waitsFor: resource(7)), thread(3, holds: [resource(5)], waitsFor: resource(3)),
    ]
    #expect(finding(threads, targets: [7: 5])?.isCertain == true)
    #expect(finding(threads)?.isCertain == false)
  }

  @Test func `readers do not keep readers out`() {
    let shared = resource(3, isShared: true)
    let threads = [thread(2, holds: [shared], waitsFor: shared), thread(3, holds: [shared])]
    #expect(finding(threads)?.isCertain == false)
    // This would be a cycle if the second reader excluded the first one.
    let crossed = [
      thread(2, holds: [resource(5)], waitsFor: shared), thread(3, holds: [shared], waitsFor: resource(5)),
    ]
    #expect(finding(crossed)?.isCertain == false)
    let writer = thread(2, holds: [resource(5)], waitsFor: resource(3))
    #expect(finding([writer, crossed[1]])?.isCertain == true)
  }

  @Test func `a barrier from its own reader is a deadlock, and a reader inside its own barrier`() {
    let shared = resource(3, isShared: true)
    let barrier = finding([thread(2, holds: [resource(1), shared], waitsFor: resource(3))])
    #expect(barrier?.isCertain == true && barrier?.report.name == "queue 3")
    #expect(finding([thread(2, holds: [resource(3)], waitsFor: shared)])?.isCertain == true)
    #expect(finding([thread(2, holds: [shared], waitsFor: shared)])?.isCertain == false)
  }

  @Test func `a wait ends when all holders have released the resource, so each of them counts`() throws {
    let shared = resource(3, isShared: true)
    let threads = [
      thread(2, holds: [resource(5)], waitsFor: resource(3)), thread(3, holds: [shared]),
      thread(4, holds: [shared], waitsFor: resource(5)),
    ]
    let found = try #require(finding(threads))
    #expect(found.isCertain && found.report.waits.map(\.thread) == [4, 2])
  }

  @Test func `a barrier on a queue is none on the queue that it targets`() {
    let threads = [
      thread(2, holds: [resource(5)], waitsFor: resource(7)),
      thread(3, holds: [resource(3, isShared: true)], waitsFor: resource(5)),
    ]
    #expect(finding(threads, targets: [7: 3])?.isCertain == false)
    let barrier = [threads[0], thread(3, holds: [resource(3)], waitsFor: resource(5))]
    #expect(finding(barrier, targets: [7: 3])?.isCertain == true)
  }

  @Test func `sixty queues in one knot are one cycle`() throws {
    // Each thread holds one queue and waits for the next, and reads from all of them.
    let shelf = resource(201, isShared: true)
    let queues = (0..<60).map { resource(2 * UInt32($0) + 1) }
    let ring = queues.indices.map { number in
      thread(UInt32(number) + 2, holds: [queues[number], shelf], waitsFor: queues[(number + 1) % 60])
    }
    let found = try #require(finding(ring + [thread(99, waitsFor: resource(201))]))
    #expect(found.isCertain && found.report.waits.count == 8)
  }

  @Test func `work for a main thread that waits is an undrained queue`() throws {
    let found = try #require(finding([thread(1, waitsFor: resource(101)), thread(2, waitsFor: resource(1))]))
    #expect(!found.isCertain && found.report.kind == .undrainedQueue && found.report.waits.map(\.thread) == [1, 2])
  }

  @Test func `the holder of a queue in demand that waits for a signal holds it up`() throws {
    let found = try #require(
      finding([thread(2, holds: [resource(3)], waitsFor: resource(101)), thread(3, waitsFor: resource(3))]))
    #expect(!found.isCertain && found.report.kind == .stall && found.report.name == "queue 3")
    #expect(found.report.summary.contains("1 thread holds queue 3 and waits for a signal"))
  }

  @Test func `blocks that wait while the threads wait are an exhausted pool`() throws {
    let found = try #require(
      finding([thread(2, waitsFor: resource(101))], [Backlog(queue: resource(3), pending: 7)]))
    #expect(
      found.report.kind == .poolExhausted
        && found.report.summary.hasPrefix("7 blocks wait for a thread, and none becomes free: 1 thread is blocked"))
  }

  @Test func `threads that wait for signals alone are no hang`() {
    #expect(finding([thread(2, waitsFor: resource(101)), thread(3, waitsFor: resource(102))]) == nil)
    #expect(finding([thread(2, holds: [resource(3)])]) == nil)
  }

  @Test func `threads that wait for a lock are a stall of which no more is known`() throws {
    let found = try #require(finding([thread(2, waitsFor: resource(4))]))
    #expect(!found.isCertain && found.report.kind == .stall && found.report.name == "lock 4")
  }

  @Test func `a busy main thread may leave its queue undrained, another thread that holds it does not`() throws {
    let waiting = thread(2, waitsFor: resource(1))
    let busy = try #require(finding([thread(1), waiting]))
    #expect(busy.report.kind == .undrainedQueue && busy.report.summary.hasSuffix("blocked or busy."))
    #expect(try #require(finding([thread(3, holds: [resource(1)]), waiting])).report.kind == .stall)
  }

  @Test func `only who holds what others want, and waits for a signal, holds it up`() throws {
    let holder = thread(2, holds: [resource(3)], waitsFor: resource(101))
    let backlog = try #require(finding([holder], [Backlog(queue: resource(3), pending: 1)]))
    #expect(backlog.report.kind == .stall && backlog.report.name == "queue 3", "blocks want it")
    let locked = [thread(2, holds: [resource(3)], waitsFor: resource(4)), thread(3, waitsFor: resource(3))]
    #expect(try #require(finding(locked)).report.name == "lock 4, queue 3", "it waits for a lock")
    let signals = [thread(2, holds: [resource(101)], waitsFor: resource(103)), thread(3, waitsFor: resource(101))]
    #expect(finding(signals) == nil, "signals that others want")
  }

  @Test func `the main thread is not among the threads of an exhausted pool`() throws {
    let threads = [thread(1, waitsFor: resource(103)), thread(2, waitsFor: resource(101))]
    let found = try #require(finding(threads, [Backlog(queue: resource(3), pending: 7)]))
    #expect(found.report.summary.contains("1 thread is blocked") && found.report.waits.map(\.thread) == [2])
  }

  @Test func `of what a thread holds, a report shows what it does not share`() throws {
    let holds = [resource(3), resource(7, isShared: true)]
    let found = try #require(finding([thread(2, holds: holds, waitsFor: resource(4))]))
    #expect(found.report.waits.map(\.held) == ["queue 3"])
  }
}
