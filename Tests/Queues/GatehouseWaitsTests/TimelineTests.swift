import GatehouseBase
import GatehouseWaits
import TestSupport
import Testing

/// The conversion of a record's events to the tracks of a trace. Times are in microseconds.
struct TimelineTests {
  private func event(
    _ action: TimelineEvent.Action, on queue: UInt32, thread: UInt32 = 2, at time: UInt64, job: UInt32 = 0
  ) -> TimelineEvent {
    TimelineEvent(action, thread: thread, at: time * 1_000, queue: UInt64(queue), classID: queue, job: job)
  }

  private func timeline(_ events: [TimelineEvent], lost: Int = 0, last: ProcessSnapshot? = nil) -> [JSONValue] {
    Timeline(of: events, processID: 9, program: "p", start: 0, lost: lost, last: last, names: .plain).events
  }

  /// All events as `name/phase@time+duration`, without the names of tracks. Checks that the trace follows the format's
  /// rules.
  private func trace(_ events: [TimelineEvent], lost: Int = 0, last: ProcessSnapshot? = nil) -> [String] {
    let all = timeline(events, lost: lost, last: last)
    #expect(TraceRules.faults(in: ["traceEvents": .array(all)]) == [])
    return all.compactMap { event in
      guard let name = event["name"]?.string, let phase = event["ph"]?.string, phase != "M" else { return nil }
      let duration = event["dur"]?.double.map { "+\(Int($0))" } ?? ""
      return "\(name)/\(phase)@\(Int(event["ts"]?.double ?? -1))\(duration)"
    }
  }

  private func tracks(_ all: [JSONValue]) -> [Int64: String] {
    let named = all.filter { $0["name"]?.string == "thread_name" }
    return Dictionary(
      named.map { ($0["tid"]?.integer ?? 0, $0["args"]?["name"]?.string ?? "") },
      uniquingKeysWith: { first, _ in first })
  }

  @Test func `a block waits, runs and ends`() {
    let events = [event(.submit, on: 1, at: 1, job: 5), event(.begin, on: 1, at: 3, job: 5), event(.end, on: 1, at: 7)]
    #expect(trace(events) == ["waiting/b@1", "running/X@3+4", "waiting/e@3"])
  }

  @Test func `a block that waits for another queue is blocked, and says by which thread`() {
    let events = [
      event(.begin, on: 3, thread: 4, at: 1), event(.begin, on: 1, at: 2), event(.wait, on: 3, at: 3),
      event(.end, on: 3, thread: 4, at: 5), event(.begin, on: 3, at: 6), event(.end, on: 3, at: 7),
      event(.end, on: 1, at: 8),
    ]
    #expect(trace(events) == ["running/X@1+4", "running/X@2+6", "blocked: queue 3/X@3+3", "running/X@6+1"])
    #expect(timeline(events).compactMap { $0["args"]?["heldBy"]?.string } == ["thread 4"])
  }

  @Test func `a block that waits for a lock is blocked until it has it`() {
    let events = [
      event(.begin, on: 1, at: 1), event(.wait, on: 4, at: 2), event(.waited, on: 4, at: 5), event(.end, on: 1, at: 9),
    ]
    #expect(trace(events) == ["running/X@1+8", "blocked: lock 4/X@2+3"])
  }

  @Test func `a thread that waits outside of a block has a track of its own`() {
    let events = [event(.wait, on: 4, at: 2), event(.waited, on: 4, at: 5), event(.wait, on: 6, at: 8)]
    #expect(trace(events) == ["blocked: lock 4/X@2+3", "blocked at the end: lock 6/X@8+0"])
    #expect(Array(tracks(timeline(events)).values) == ["thread 2"])
  }

  @Test func `a block that never ends runs until the last event, and one that never begins waits until then`() {
    #expect(
      trace([event(.begin, on: 1, at: 1), event(.submit, on: 3, at: 8, job: 1), event(.submit, on: 3, at: 9, job: 2)])
        == [
          "running at the end/X@1+8", "waiting at the end/b@8", "waiting at the end/e@9", "waiting at the end/b@9",
          "waiting at the end/e@9",
        ])
  }

  @Test func `blocks that run at once on a concurrent queue have lanes, and one after the other have one`() {
    let atOnce = [
      event(.begin, on: 1, thread: 2, at: 1), event(.begin, on: 1, thread: 3, at: 2),
      event(.end, on: 1, thread: 2, at: 5), event(.end, on: 1, thread: 3, at: 7),
    ]
    #expect(trace(atOnce) == ["running/X@1+4", "running/X@2+5"])
    #expect(Set(tracks(timeline(atOnce)).values) == ["queue 1", "queue 1, lane 2"])
    let after = [
      event(.begin, on: 1, thread: 2, at: 1), event(.end, on: 1, thread: 2, at: 2),
      event(.begin, on: 1, thread: 3, at: 2), event(.end, on: 1, thread: 3, at: 7),
    ]
    #expect(trace(after).count == 2 && tracks(timeline(after)).count == 1)
  }

  @Test func `a hang's last state is shown, without an event`() {
    func waiting(_ id: UInt32, holds: UInt32, for wanted: UInt32) -> ProcessSnapshot.Thread {
      ProcessSnapshot.Thread(
        id: id, events: 1, waitingSince: 4_000, wait: WatchedThread.Hold(resource(wanted), at: [7]),
        holds: [WatchedThread.Hold(resource(holds), at: [])])
    }
    let last = ProcessSnapshot(
      processID: 9, mainThread: 1, threads: [waiting(2, holds: 4, for: 6), waiting(3, holds: 6, for: 4)], queues: [],
      classes: [], blocks: ProcessSnapshot.Blocks(), processors: 2, now: 9_000)
    let all = Timeline(of: [], processID: 9, program: "p", start: 0, last: last, end: 9_000, names: .plain).events
    #expect(TraceRules.faults(in: ["traceEvents": .array(all)]) == [])
    let shown = all.compactMap { $0["ph"]?.string == "M" ? nil : $0["name"]?.string }
    #expect(
      shown == [
        "blocked at the end: lock 6", "blocked at the end: lock 4", "at the end: holds lock 4, waits for lock 6",
        "at the end: holds lock 6, waits for lock 4",
      ])
    #expect(all.compactMap { $0["dur"]?.double } == [5, 5])
    #expect(all.last?["args"]?["stack"]?.array == ["f7 at File.swift:1"])
  }

  @Test func `events that were lost are told`() {
    #expect(trace([event(.begin, on: 1, at: 4)], lost: 3).first == "3 earlier events were not kept/i@4")
    #expect(trace([event(.begin, on: 1, at: 4)], lost: 1).first == "1 earlier event was not kept/i@4")
  }

  @Test func `each track has the name of its queue, once`() {
    let events = [event(.submit, on: 1, at: 1, job: 1), event(.submit, on: 1, at: 2, job: 2)]
    let names = timeline(events).filter { $0["ph"]?.string == "M" }.compactMap { $0["args"]?["name"]?.string }
    #expect(names == ["p", "queue 1"])
  }

  /// For any record: events in any order of actions, with few threads, queues and jobs, and repeated times.
  @Test func `any events make a trace that keeps the rules`() {
    var numbers = SeededNumbers(seed: 7)
    for _ in 0..<300 {
      var time: UInt64 = 0
      let events = (0..<40).map { _ in
        time += numbers.next(below: 3)
        let action = [TimelineEvent.Action.submit, .wait, .begin, .end, .waited][Int(numbers.next(below: 5))]
        return event(
          action, on: UInt32(1 + numbers.next(below: 4)), thread: UInt32(2 + numbers.next(below: 3)), at: time,
          job: UInt32(numbers.next(below: 5)))
      }
      _ = trace(events)
    }
  }
}

/// Pseudo-random numbers that are the same in every run.
private struct SeededNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next(below bound: UInt64) -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) % bound
  }
}

/// The trace checker detects violations of the rules.
struct TraceRulesTests {
  private static let name = #"{"name": "thread_name", "ph": "M", "pid": 1, "tid": 2, "ts": 0, "args": {"name": "q"}}"#

  private func faults(_ events: String) throws -> [String] {
    let text = #"{"traceEvents": [\#(Self.name), \#(events)]}"#
    return TraceRules.faults(in: try JSONValue(parsing: Array(text.utf8)))
  }

  @Test(arguments: [
    (#"{"name": "a", "ph": "X", "pid": 1, "tid": 2, "ts": -1, "dur": 1}"#, "impossible"),
    (#"{"name": "a", "ph": "X", "pid": 1, "tid": 2, "ts": 1}"#, "no duration"),
    (#"{"name": "a", "ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": -1}"#, "no duration"),
    (#"{"name": "a", "ph": "X", "pid": 1, "tid": 3, "ts": 1, "dur": 1}"#, "track 3 has no name"),
    (#"{"name": "a", "ph": "i", "pid": 1, "tid": 2, "ts": 1}"#, "no scope"),
    (#"{"name": "a", "ph": "B", "pid": 1, "tid": 2, "ts": 1}"#, "unknown phase"),
    (#"{"ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 1}"#, "no name"),
    (#"{"name": "a", "ph": "b", "pid": 1, "tid": 2, "ts": 1, "cat": "c", "id": 1}"#, "has no end"),
    (#"{"name": "a", "ph": "e", "pid": 1, "tid": 2, "ts": 1, "cat": "c", "id": 1}"#, "ends unbegun"),
    (#"{"name": "a", "ph": "b", "pid": 1, "tid": 2, "ts": 1, "cat": "c"}"#, "no id"),
    (Self.name, "two names"),
    (
      #"{"name": "a", "ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 3}, "#
        + #"{"name": "b", "ph": "X", "pid": 1, "tid": 2, "ts": 2, "dur": 3}"#, "outlasts a"
    ),
    (
      #"{"name": "a", "ph": "X", "pid": 1, "tid": 2, "ts": 2, "dur": 3}, "#
        + #"{"name": "b", "ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 1}"#, "earlier"
    ),
  ])
  func `a trace that breaks a rule is found`(events: String, fault: String) throws {
    #expect(try faults(events).contains { $0.contains(fault) })
  }

  @Test func `a trace that keeps them has no fault`() throws {
    let events = """
      {"name": "a", "ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 3.5}, \
      {"name": "b", "ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 2}, \
      {"name": "c", "ph": "X", "pid": 1, "tid": 2, "ts": 3, "dur": 1.5}, \
      {"name": "w", "ph": "b", "pid": 1, "tid": 2, "ts": 4, "cat": "c", "id": 1}, \
      {"name": "w", "ph": "e", "pid": 1, "tid": 2, "ts": 9, "cat": "c", "id": 1}
      """
    #expect(try faults(events) == [])
    #expect(TraceRules.faults(in: [:]) == ["there are no traceEvents"])
  }
}
