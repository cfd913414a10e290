package import GatehouseBase

/// A timeline of queues in the trace-event format that Perfetto and Chrome open: when each queue ran a block, how long
/// the block had waited, and what it waited for itself. One track is one queue.
package struct Timeline: Sendable {
  /// The events of the trace, one JSON object each.
  package private(set) var events: [JSONValue] = []
  private let process: Int
  private let start: UInt64
  private let names: WaitNames
  private var named: Set<UInt64> = []

  /// A block of a queue that runs on a thread.
  private struct Run {
    let queue: UInt64
    let at: UInt64
    /// Since when it waits for another queue, the class of that queue, and its holder.
    var blocked: (at: UInt64, on: UInt32, by: String)?
  }
  /// By thread. Of nested blocks, the innermost is last.
  private var running: [UInt32: [Run]] = [:]
  /// By queue: the thread that runs its block.
  private var holders: [UInt64: UInt32] = [:]
  private var submitted: [UInt32: UInt64] = [:]
  private var waits = 0

  /// - Parameters:
  ///   - program: the name of the program, for the reader.
  ///   - start: the moment that the trace counts from, in monotonic nanoseconds.
  ///   - recorded: the events, in the order of time.
  ///   - lost: how many earlier events were not kept.
  package init(
    of recorded: [TimelineEvent], processID: Int32, program: String, start: UInt64, lost: Int = 0, names: WaitNames
  ) {
    self.names = names
    process = Int(processID)
    self.start = start
    add("process_name", "M", track: 0, at: start, ["args": ["name": .string(program)]])
    if lost > 0, let first = recorded.first {
      add("\(lost) earlier events were not kept", "i", track: 0, at: first.at, ["s": "g"])
    }
    for event in recorded { take(event) }
    let last = recorded.last?.at ?? start
    for (thread, runs) in running.sorted(by: { $0.key < $1.key }) {
      for run in runs.reversed() { finish(run, of: thread, at: last, isCut: true) }
    }
  }

  private mutating func take(_ event: TimelineEvent) {
    name(event)
    let thread = event.thread
    switch event.action {
    case .submit: submitted[event.job] = event.at
    case .wait:
      guard var run = running[thread]?.popLast() else { return }
      let holder = holders[event.queue].map { "thread \($0)" } ?? "unknown"
      run.blocked = (event.at, event.classID, holder)
      running[thread]?.append(run)
    case .begin:
      unblock(thread, at: event.at)
      if let since = submitted.removeValue(forKey: event.job), event.job != 0 {
        waits += 1
        for (phase, at) in [("b", since), ("e", event.at)] {
          add("waiting", phase, track: event.queue, at: at, ["cat": "waiting", "id": number(waits)])
        }
      }
      holders[event.queue] = thread
      running[thread, default: []].append(Run(queue: event.queue, at: event.at))
    case .end:
      guard let index = running[thread]?.lastIndex(where: { $0.queue == event.queue }),
        let run = running[thread]?.remove(at: index)
      else { return }
      finish(run, of: thread, at: event.at, isCut: false)
      holders[event.queue] = nil
    case .waited: unblock(thread, at: event.at)
    }
  }

  private mutating func unblock(_ thread: UInt32, at: UInt64) {
    guard var run = running[thread]?.popLast() else { return }
    endWait(of: &run, at: at)
    running[thread]?.append(run)
  }

  private mutating func endWait(of run: inout Run, at: UInt64) {
    guard let blocked = run.blocked else { return }
    run.blocked = nil
    add(
      "blocked: \(names.resourceClass(blocked.on).name)", "X", track: run.queue, at: blocked.at,
      ["dur": duration(from: blocked.at, to: at), "cat": "blocked", "args": ["heldBy": .string(blocked.by)]])
  }

  private mutating func finish(_ run: Run, of thread: UInt32, at: UInt64, isCut: Bool) {
    var run = run
    endWait(of: &run, at: at)
    add(
      isCut ? "running at the end" : "running", "X", track: run.queue, at: run.at,
      ["dur": duration(from: run.at, to: at), "cat": "running", "args": ["thread": number(Int(thread))]])
  }

  /// Names a track after its queue.
  private mutating func name(_ event: TimelineEvent) {
    guard named.insert(event.queue).inserted else { return }
    add(
      "thread_name", "M", track: event.queue, at: start,
      ["args": ["name": .string(names.resourceClass(event.classID).name)]])
  }

  private mutating func add(_ name: String, _ phase: String, track: UInt64, at: UInt64, _ more: JSONObject) {
    var event: JSONObject = [
      "name": .string(name), "ph": .string(phase), "pid": number(process), "tid": number(Int(clamping: track)),
      "ts": duration(from: start, to: at),
    ]
    for member in more.members { event[member.name] = member.value }
    events.append(.object(event))
  }

  private func number(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }

  /// In microseconds, as the format requires.
  private func duration(from: UInt64, to: UInt64) -> JSONValue {
    .number(JSONNumber(Double(to > from ? to - from : 0) / 1000) ?? JSONNumber(0))
  }
}
