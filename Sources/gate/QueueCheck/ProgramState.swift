import CGatehouseWaits
import Foundation
import GatehouseQueues

/// What the threads of a process hold and wait for at one moment.
struct ProgramState: Sendable {
  let record: RecordFile
  let threads: [RecordedThread]
  let queues: [RecordedQueue]
  /// Monotonic nanoseconds.
  let now: UInt64

  init(_ record: RecordFile) {
    self.record = record
    threads = record.threads
    queues = record.queues
    now = DispatchTime.now().uptimeNanoseconds
  }

  /// Changes whenever anybody asks for something, gets it or leaves it, or a block begins.
  var progress: UInt64 {
    threads.reduce(0) { $0 &+ $1.events &+ UInt64($1.id) } &+ queues.reduce(0) { $0 &+ $1.begun } &+ record.begunGlobal
  }

  /// Whether a thread waits for something, or a block for a thread.
  var isWaiting: Bool {
    threads.contains { $0.askingSince != nil }
      && (threads.contains { $0.askingSince != nil && !$0.holds.isEmpty }
        || record.pendingGlobal > 0 || queues.contains { $0.pending > 0 && $0.suspended <= 0 })
  }

  /// Who keeps others out of a thing, or keeps out who wants it alone.
  private func holder(of instance: UInt64, from thread: UInt32 = 0, sharing: Bool = false) -> RecordedThread? {
    threads.first { other in
      other.id != thread && other.holds.contains { $0.thing.instance == instance && !(sharing && $0.thing.isShared) }
    }
  }

  /// What a thread waits for, through the queues that the queue it asked for targets, and who holds that.
  private func next(after thread: RecordedThread) -> (RecordedThread, UInt64)? {
    guard thread.askingSince != nil else { return nil }
    var instance = thread.asking.thing.instance
    for _ in 0..<8 {
      let sharing = thread.asking.thing.isShared
      if let holder = holder(of: instance, from: thread.id, sharing: sharing) { return (holder, instance) }
      if thread.holds.contains(where: { $0.thing.instance == instance && !$0.thing.isShared }) {
        return (thread, instance)
      }
      guard let target = queues.first(where: { $0.instance == instance })?.target, target != 0 else { return nil }
      instance = target
    }
    return nil
  }

  /// Those who wait for each other in a circle: it never ends.
  var circle: [RecordedThread]? {
    for start in threads where start.askingSince != nil {
      var way = [start]
      while let last = way.last, let (holder, _) = next(after: last) {
        if let first = way.firstIndex(where: { $0.id == holder.id }) { return Array(way[first...]) }
        way.append(holder)
      }
    }
    return nil
  }

  private func waits(_ threads: [RecordedThread], _ names: ClassNames, _ images: ProgramImages) -> [WaitReport.Wait] {
    threads.map { thread in
      let asked = names[thread.asking.thing.classID]
      let held = thread.holds.last { !$0.thing.isShared }
      let holding = held.map { names[$0.thing.classID] }
      return WaitReport.Wait(
        held: holding?.name ?? "nothing", heldSite: holding?.site ?? "",
        heldAt: images.stack(held?.frames ?? []), asked: asked.name, askedSite: asked.site,
        askedAt: images.stack(thread.asking.frames), thread: thread.id)
    }
  }

  /// A deadlock that has happened.
  func report(circle: [RecordedThread], images: ProgramImages) -> WaitReport {
    let parts = waits(circle, ClassNames(record.classes, images: images), images)
    let isAlone = circle.count == 1
    return WaitReport(
      .stall, name: parts.map(\.held).joined(separator: " → "),
      summary: isAlone
        ? "A thread waits for what it holds itself. This is no danger but a deadlock: it has happened."
        : "\(circle.count) threads wait for each other. This is no danger but a deadlock: it has happened.",
      waits: parts,
      rule: isAlone
        ? "Let go of it before asking for it again, or split off a function that expects it to be held."
        : """
        Let waits go one way only: hand the work over asynchronously, or let go of the one before asking for the other.
        """)
  }

  /// Why nothing moves, when it is certain that nothing will: nil while somebody may just be slow.
  func silence(images: ProgramImages) -> WaitReport? {
    let names = ClassNames(record.classes, images: images)
    let blocked = threads.filter { $0.askingSince != nil }
    let main = queues.first { queue in
      queue.pending > 0 && queue.suspended <= 0 && names.isMain(queue.classID)
    }
    if let main, blocked.contains(where: { $0.id == record.mainThread }) {
      return WaitReport(
        .undrainedQueue, name: "queue main",
        summary: """
          \(main.pending) blocks wait for the main queue, which nobody drains: the main thread is blocked itself.
          """,
        waits: waits(
          blocked.filter { $0.id == record.mainThread } + blocked.filter { $0.id != record.mainThread }, names, images),
        rule: """
          Do not block the main thread while callbacks come to it: let it run dispatchMain() or a run loop, or have the \
          callbacks delivered to another queue.
          """)
    }
    if let main = blocked.first(where: { names.isMain($0.asking.thing.classID) }),
      blocked.contains(where: { $0.id == record.mainThread })
    {
      return WaitReport(
        .undrainedQueue, name: "queue main",
        summary: "Thread \(main.id) waits for the main queue, which nobody drains: the main thread is blocked itself.",
        waits: waits([main] + blocked.filter { $0.id == record.mainThread }, names, images),
        rule: "Do not block the main thread: let it run dispatchMain() or a run loop.")
    }
    return workers.isEmpty ? nil : exhaustion(images: images)
  }

  /// Somebody wants a queue or a lock, and who holds it waits for a signal: a deadlock, if that signal is to come from there.
  /// Or it is only slow to come; the program goes on.
  func heldUp(images: ProgramImages) -> WaitReport? {
    let names = ClassNames(record.classes, images: images)
    let blocked = threads.filter { $0.askingSince != nil }
    let wanted =
      blocked.filter { names[$0.asking.thing.classID].kind != .signal }.map(\.asking.thing.instance)
      + queues.filter { $0.pending > 0 && $0.suspended <= 0 }.map(\.instance)
    let holders = blocked.filter { thread in
      names[thread.asking.thing.classID].kind == .signal && thread.holds.contains { wanted.contains($0.thing.instance) }
    }
    guard !holders.isEmpty else { return nil }
    let parts = waits(holders, names, images)
    return WaitReport(
      .stall, name: parts.map(\.held).joined(separator: ", "),
      summary: """
        Others wait for \(parts.map(\.held).joined(separator: ", ")), held by \(holders.count) thread(s) that wait for a \
        signal. If it is to come from one of those others, this is a deadlock.
        """, waits: parts,
      rule:
        "Do not wait on a queue for something that comes to this queue: take a completion, or have it called elsewhere."
    )
  }

  /// Threads other than the main one that wait.
  private var workers: [RecordedThread] { threads.filter { $0.askingSince != nil && $0.id != record.mainThread } }

  /// Blocks that could begin if they had a thread.
  private var starved: Int64 {
    let main = record.mainThread
    return queues.filter { queue in
      queue.pending > 0 && queue.suspended <= 0 && holder(of: queue.instance) == nil
        && (queue.target == 0 || holder(of: queue.target) == nil)
        && !threads.contains { $0.id == main && $0.holds.contains { $0.thing.instance == queue.instance } }
    }
    .reduce(record.pendingGlobal) { $0 + Int64($1.pending) }
  }

  /// Whether every thread that runs a block waits, a processor's worth of them for so long, in nanoseconds, and blocks wait
  /// behind them. Dispatch adds a thread every second, up to a limit; each of those has come to wait as well.
  func isExhausted(after limit: UInt64) -> Bool {
    let old = workers.count { now > $0.askingSince ?? now && now - ($0.askingSince ?? now) >= limit }
    return old >= ProcessInfo.processInfo.activeProcessorCount && workers.count >= record.running && starved > 0
  }

  func exhaustion(images: ProgramImages) -> WaitReport? {
    guard starved > 0 else { return nil }
    let names = ClassNames(record.classes, images: images)
    return WaitReport(
      .poolExhausted, name: "dispatch pool",
      summary: """
        \(starved) blocks wait for a thread, and none becomes free: \(workers.count) threads are blocked. What would \
        unblock them may be among those that wait.
        """, waits: waits(Array(workers.prefix(4)), names, images),
      rule: "Do not block in blocks on concurrent queues: bound how many run at once, or continue in a callback.")
  }

  /// For SIGQUIT.
  func description(images: ProgramImages) -> String {
    let names = ClassNames(record.classes, images: images)
    let blocked = threads.filter { $0.askingSince != nil }
    var lines = [
      "gate queuecheck: process \(record.processID), \(threads.count) threads, \(blocked.count) of them wait"
    ]
    for thread in blocked {
      let since = thread.askingSince.map { Double(now > $0 ? now - $0 : 0) / 1e9 } ?? 0
      let holder = next(after: thread).map { ", held by thread \($0.0.id)" } ?? ""
      let seconds = String(format: "%.1f", since)
      lines.append(
        "  thread \(thread.id) has waited \(seconds) s for \(names[thread.asking.thing.classID].name)\(holder)")
      lines += thread.holds.map { "    holds \(names[$0.thing.classID].name)" }
      lines += images.frames(thread.asking.frames).map { "    at \($0)" }
    }
    for queue in queues where queue.pending > 0 {
      lines.append(
        "  \(queue.pending) blocks wait for \(names[queue.classID].name)\(queue.suspended > 0 ? ", suspended" : "")")
    }
    if record.pendingGlobal > 0 { lines.append("  \(record.pendingGlobal) blocks wait for a thread on global queues") }
    return lines.joined(separator: "\n")
  }
}
