import GatehouseBase
import GatehouseWaits
import Testing

/// What the events of a record become on the tracks of a trace. Times are in microseconds.
@Suite struct TimelineTests {
  private func event(
    _ action: TimelineEvent.Action, on queue: UInt32, thread: UInt32 = 2, at time: UInt64, job: UInt32 = 0
  ) -> TimelineEvent {
    TimelineEvent(action, thread: thread, at: time * 1_000, queue: UInt64(queue), classID: queue, job: job)
  }

  /// `name/phase@time+duration` of all events, without the names of tracks.
  private func trace(_ events: [TimelineEvent], lost: Int = 0) -> [String] {
    Timeline(of: events, processID: 9, program: "p", start: 0, lost: lost, names: .plain).events.compactMap { event in
      guard let name = event["name"]?.string, let phase = event["ph"]?.string, phase != "M" else { return nil }
      let duration = event["dur"]?.double.map { "+\(Int($0))" } ?? ""
      return "\(name)/\(phase)@\(Int(event["ts"]?.double ?? -1))\(duration)"
    }
  }

  @Test func `a block waits, runs and ends`() {
    let events = [event(.submit, on: 1, at: 1, job: 5), event(.begin, on: 1, at: 3, job: 5), event(.end, on: 1, at: 7)]
    #expect(trace(events) == ["waiting/b@1", "waiting/e@3", "running/X@3+4"])
  }

  @Test func `a block that waits for another queue is blocked, and says by which thread`() {
    let events = [
      event(.begin, on: 3, thread: 4, at: 1), event(.begin, on: 1, at: 2), event(.wait, on: 3, at: 3),
      event(.end, on: 3, thread: 4, at: 5), event(.begin, on: 3, at: 6), event(.end, on: 3, at: 7),
      event(.end, on: 1, at: 8),
    ]
    #expect(trace(events) == ["running/X@1+4", "blocked: queue 3/X@3+3", "running/X@6+1", "running/X@2+6"])
    let all = Timeline(of: events, processID: 9, program: "p", start: 0, names: .plain).events
    #expect(all.compactMap { $0["args"]?["heldBy"]?.string } == ["thread 4"])
  }

  @Test func `a block that waits for a lock is blocked until it has it`() {
    let events = [
      event(.begin, on: 1, at: 1), event(.wait, on: 4, at: 2), event(.waited, on: 4, at: 5), event(.end, on: 1, at: 9),
    ]
    #expect(trace(events) == ["blocked: lock 4/X@2+3", "running/X@1+8"])
  }

  @Test func `a block that never ends runs until the last event`() {
    #expect(trace([event(.begin, on: 1, at: 1), event(.submit, on: 3, at: 9, job: 1)]) == ["running at the end/X@1+8"])
  }

  @Test func `events that were lost are told`() {
    #expect(trace([event(.submit, on: 1, at: 4, job: 1)], lost: 3) == ["3 earlier events were not kept/i@4"])
  }

  @Test func `each track has the name of its queue, once`() {
    let events = [event(.submit, on: 1, at: 1, job: 1), event(.submit, on: 1, at: 2, job: 2)]
    let all = Timeline(of: events, processID: 9, program: "p", start: 0, names: .plain).events
    let names = all.filter { $0["ph"]?.string == "M" }.compactMap { $0["args"]?["name"]?.string }
    #expect(names == ["p", "queue 1"])
  }
}
