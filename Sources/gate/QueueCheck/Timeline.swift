import GatehouseBase
import GatehouseQueues

/// When each queue ran what, who waited for it, and what it waited for itself: in the trace-event format that Perfetto
/// and Chrome open. One track is one queue.
struct Timeline: Sendable {
  private var events: [JSONValue] = []
  private let process: Int
  private let start: UInt64
  private let names: ClassNames
  private var named: Set<UInt64> = []

  /// What is running: a block on a queue, on a thread.
  private struct Run {
    let queue: UInt64
    let at: UInt64
    /// Since when it waits for another queue, which, and who had that.
    var blocked: (at: UInt64, on: UInt32, by: String)?
  }
  /// By thread: nested ones, the innermost last.
  private var running: [UInt32: [Run]] = [:]
  /// By queue: the thread that runs its block.
  private var holders: [UInt64: UInt32] = [:]
  private var submitted: [UInt32: UInt64] = [:]
  private var waits = 0

  init(_ record: RecordFile, images: ProgramImages) {
    names = ClassNames(record.classes, images: images)
    process = Int(record.processID)
    start = record.begunAt
    let moments = record.moments
    add("process_name", "M", track: 0, at: start, ["args": ["name": .string(images.programName)]])
    if record.lostMoments > 0, let first = moments.first {
      add(
        "\(record.lostMoments) earlier moments were not kept", "i", track: 0, at: first.at, ["s": "g"])
    }
    for moment in moments { take(moment) }
    let last = moments.last?.at ?? start
    for (thread, runs) in running.sorted(by: { $0.key < $1.key }) {
      for run in runs.reversed() { finish(run, of: thread, at: last, isCut: true) }
    }
  }

  var json: [JSONValue] { events }

  private mutating func take(_ moment: RecordedMoment) {
    name(moment)
    let thread = moment.thread
    switch moment.act {
    case .submit: submitted[moment.job] = moment.at
    case .ask:
      guard var run = running[thread]?.popLast() else { return }
      let holder = holders[moment.queue].map { "thread \($0)" } ?? "nobody"
      run.blocked = (moment.at, moment.classID, holder)
      running[thread]?.append(run)
    case .begin:
      unblock(thread, at: moment.at)
      if let since = submitted.removeValue(forKey: moment.job), moment.job != 0 {
        waits += 1
        for (phase, at) in [("b", since), ("e", moment.at)] {
          add("waiting", phase, track: moment.queue, at: at, ["cat": "waiting", "id": number(waits)])
        }
      }
      holders[moment.queue] = thread
      running[thread, default: []].append(Run(queue: moment.queue, at: moment.at))
    case .end:
      guard let place = running[thread]?.lastIndex(where: { $0.queue == moment.queue }),
        let run = running[thread]?.remove(at: place)
      else { return }
      finish(run, of: thread, at: moment.at, isCut: false)
      holders[moment.queue] = nil
    case .asked: unblock(thread, at: moment.at)
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
      "blocked: \(names[blocked.on].name)", "X", track: run.queue, at: blocked.at,
      ["dur": duration(from: blocked.at, to: at), "cat": "blocked", "args": ["heldBy": .string(blocked.by)]])
  }

  private mutating func finish(_ run: Run, of thread: UInt32, at: UInt64, isCut: Bool) {
    var run = run
    endWait(of: &run, at: at)
    add(
      isCut ? "running at the end" : "running", "X", track: run.queue, at: run.at,
      ["dur": duration(from: run.at, to: at), "cat": "running", "args": ["thread": number(Int(thread))]])
  }

  /// A track is called after its queue.
  private mutating func name(_ moment: RecordedMoment) {
    guard named.insert(moment.queue).inserted else { return }
    add("thread_name", "M", track: moment.queue, at: start, ["args": ["name": .string(names[moment.classID].name)]])
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

  /// In microseconds, as the format wants it.
  private func duration(from: UInt64, to: UInt64) -> JSONValue {
    .number(JSONNumber(Double(to > from ? to - from : 0) / 1000) ?? JSONNumber(0))
  }
}
