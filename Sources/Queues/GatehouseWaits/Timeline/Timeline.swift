package import GatehouseBase

/// A timeline of queues in the trace-event format that Perfetto and Chrome open. It shows when each queue ran a block,
/// how long the block had waited, what the block itself waited for, and the state of the threads when the record ended.
///
/// Each track is one queue, or one lane of a concurrent queue, so that the slices of a track nest. Threads that wait
/// outside of a block have tracks of their own.
package struct Timeline: Sendable {
  /// The events of the trace, one JSON object each: names first, the others in order of time.
  package private(set) var events: [JSONValue] = []
  private let process: Int
  private let start: UInt64
  private let end: UInt64
  private let names: WaitNames

  private var tracks = TimelineTracks()
  private var slices: [TimelineSlice] = []

  /// A block of a queue that runs on a thread, or a wait outside of all blocks.
  private struct Run {
    /// 0: none; the thread is not in a block.
    let queue: UInt64
    let at: UInt64
    /// The time since which it waits for another resource, that resource's class, and its holder.
    var blocked: (at: UInt64, on: UInt32, by: String)?
    /// The waits that have ended.
    var waits: [TimelineSlice] = []
  }
  /// Indexed by thread. Of nested blocks, the innermost is last.
  private var running: [UInt32: [Run]] = [:]
  /// Indexed by queue: the thread that runs its block.
  private var holders: [UInt64: UInt32] = [:]
  private var submitted: [UInt32: (at: UInt64, queue: UInt64)] = [:]
  private var waits = 0

  /// - Parameters:
  ///   - program: the name of the program, shown in the trace.
  ///   - start: the origin of the trace's time, in monotonic nanoseconds.
  ///   - recorded: the events, in order of time.
  ///   - lost: the number of earlier events that were not kept.
  ///   - last: the state of the process when the record ended; nil if unknown.
  ///   - end: the time when the record ended, in monotonic nanoseconds. A later event extends it.
  package init(
    of recorded: [TimelineEvent], processID: Int32, program: String, start: UInt64, lost: Int = 0,
    last: ProcessSnapshot? = nil, end: UInt64 = 0, names: WaitNames
  ) {
    self.names = names
    process = Int(processID)
    self.start = start
    let latest = recorded.last.map { max($0.at, end) } ?? end
    let waiting = last?.threads.compactMap(\.waitingSince) ?? []
    self.end = waiting.reduce(max(latest, start), max)
    if lost > 0, let first = recorded.first {
      let name = counted(lost, "earlier event was", "earlier events were") + " not kept"
      slices.append(TimelineSlice(name, .instant, track: 0, at: first.at))
    }
    for event in recorded { take(event) }
    for (thread, runs) in running.sorted(by: { $0.key < $1.key }) {
      for run in runs.reversed() { finish(run, of: thread, at: self.end, isCut: true) }
    }
    for wait in submitted.sorted(by: { $0.key < $1.key }).map(\.value) {
      addWaiting("waiting at the end", on: wait.queue, from: wait.at, to: self.end)
    }
    if let last { add(last) }
    write(program)
  }

  private mutating func take(_ event: TimelineEvent) {
    let thread = event.thread
    if event.action != .wait, event.action != .waited {
      tracks.name(event.queue, names.resourceClass(event.classID).name)
    }
    switch event.action {
    case .submit:
      if event.job != 0 { submitted[event.job] = (event.at, event.queue) }
    case .wait:
      unblock(thread, at: event.at)
      let holder = holders[event.queue].map { "thread \($0)" } ?? "unknown"
      if running[thread, default: []].isEmpty { running[thread] = [Run(queue: 0, at: event.at)] }
      let last = running[thread, default: []].count - 1
      running[thread]?[last].blocked = (event.at, event.classID, holder)
    case .begin:
      unblock(thread, at: event.at)
      if let since = submitted.removeValue(forKey: event.job), event.job != 0 {
        addWaiting("waiting", on: event.queue, from: since.at, to: event.at)
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

  /// Ends the wait of the thread's innermost block, or of the thread itself.
  private mutating func unblock(_ thread: UInt32, at: UInt64) {
    guard var run = running[thread]?.popLast() else { return }
    endWait(of: &run, at: at)
    guard run.queue == 0 else {
      running[thread]?.append(run)
      return
    }
    finish(run, of: thread, at: at, isCut: false)
  }

  private func endWait(of run: inout Run, at: UInt64, isCut: Bool = false) {
    guard let blocked = run.blocked else { return }
    run.blocked = nil
    let name = names.resourceClass(blocked.on).name
    run.waits.append(
      TimelineSlice(
        isCut ? "blocked at the end: \(name)" : "blocked: \(name)", .complete(until: at), track: 0, at: blocked.at,
        category: "blocked", ["heldBy": .string(blocked.by)]))
  }

  /// Adds a block and its waits to the first lane of its queue that is free, or a thread's waits to its track.
  private mutating func finish(_ run: Run, of thread: UInt32, at: UInt64, isCut: Bool) {
    var run = run
    endWait(of: &run, at: at, isCut: isCut)
    let isThread = run.queue == 0
    let track = isThread ? tracks.thread(thread) : tracks.lane(of: run.queue, from: run.at, to: max(at, run.at))
    if !isThread {
      slices.append(
        TimelineSlice(
          isCut ? "running at the end" : "running", .complete(until: max(at, run.at)), track: track, at: run.at,
          category: "running", ["thread": number(Int(thread))]))
    }
    for wait in run.waits {
      slices.append(wait.onTrack(track))
      tracks.occupy(track, until: wait.until)
    }
  }

  /// Adds a pair of asynchronous events, which need not nest.
  private mutating func addWaiting(_ name: String, on queue: UInt64, from: UInt64, to: UInt64) {
    waits += 1
    let track = tracks.first(of: queue)
    slices.append(TimelineSlice(name, .begin(waits), track: track, at: from, category: "waiting"))
    slices.append(TimelineSlice(name, .end(waits), track: track, at: max(from, to), category: "waiting"))
  }

  /// Adds the holds and waits of the threads when the record ends, with the times since which they wait.
  private mutating func add(_ last: ProcessSnapshot) {
    func name(_ hold: WatchedThread.Hold) -> String { names.resourceClass(hold.resource.classID).name }
    for thread in last.threads.sorted(by: { $0.id < $1.id }) {
      guard let since = thread.waitingSince else { continue }
      let track = tracks.thread(thread.id), wanted = name(thread.wait)
      if tracks.isFree(track, from: since) {
        slices.append(
          TimelineSlice(
            "blocked at the end: \(wanted)", .complete(until: end), track: track, at: since, category: "blocked"))
      }
      let holds = thread.holds.map(name)
      slices.append(
        TimelineSlice(
          "at the end: holds \(holds.isEmpty ? "nothing" : holds.joined(separator: ", ")), waits for \(wanted)",
          .instant, track: track, at: end, category: "state",
          [
            "holds": .array(holds.map { .string($0) }), "waitsFor": .string(wanted),
            "stack": .array(names.stack(thread.wait.frames).frames.map { .string("\($0)") }),
          ]))
    }
  }

  private mutating func write(_ program: String) {
    events.append(metadata("process_name", track: 0, program))
    for track in tracks.all { events.append(metadata("thread_name", track: track.number, track.name)) }
    let ordered = slices.enumerated().sorted { one, other in
      let (left, right) = (one.element, other.element)
      if left.at != right.at { return left.at < right.at }
      // Of two slices that begin at the same time, the longer one contains the other.
      return left.until != right.until ? left.until > right.until : one.offset < other.offset
    }
    for (_, slice) in ordered { events.append(json(slice)) }
  }

  private func metadata(_ name: String, track: Int, _ value: String) -> JSONValue {
    [
      "name": .string(name), "ph": "M", "pid": number(process), "tid": number(track), "ts": 0,
      "args": ["name": .string(value)],
    ]
  }

  private func json(_ slice: TimelineSlice) -> JSONValue {
    var event: JSONObject = [
      "name": .string(slice.name), "ph": .string(slice.letter), "pid": number(process), "tid": number(slice.track),
      "ts": microseconds(from: start, to: slice.at),
    ]
    if !slice.category.isEmpty { event["cat"] = .string(slice.category) }
    switch slice.phase {
    case .complete(let until): event["dur"] = microseconds(from: max(slice.at, start), to: until)
    case .begin(let id), .end(let id): event["id"] = number(id)
    case .instant: event["s"] = slice.track == 0 ? "g" : "t"
    }
    if !slice.arguments.members.isEmpty { event["args"] = .object(slice.arguments) }
    return .object(event)
  }

  private func number(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }

  /// The microseconds between two times, as the format requires; never less than 0.
  private func microseconds(from: UInt64, to: UInt64) -> JSONValue {
    .number(JSONNumber(Double(to > from ? to - from : 0) / 1000) ?? JSONNumber(0))
  }
}
