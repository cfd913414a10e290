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

  /// Who waits for whom.
  var standstill: Standstill {
    Standstill(
      threads: threads.map { WatchedThread($0, isMain: $0.id == record.mainThread) },
      backlogs: queues.filter { $0.pending > 0 && $0.suspended <= 0 }.map {
        Backlog(queue: WaitThing(instance: $0.instance, classID: $0.classID), pending: Int($0.pending))
      },
      targets: Dictionary(queues.map { ($0.instance, $0.target) }, uniquingKeysWith: { first, _ in first }),
      isMain: { [record] in record.isMain(classID: $0.classID) })
  }

  /// Whether blocks wait for a thread while every thread that runs one waits as well, and a processor's worth of them:
  /// with fewer, one that could run the next block is free.
  var isStarved: Bool {
    workers.count >= ProcessInfo.processInfo.activeProcessorCount && workers.count >= record.running && starved > 0
  }

  /// Whether that has lasted for so long, in nanoseconds, and dispatch will never have as many threads as it takes.
  func isExhausted(after limit: UInt64) -> Bool {
    let old = workers.count { now > $0.askingSince ?? now && now - ($0.askingSince ?? now) >= limit }
    return old >= ProcessInfo.processInfo.activeProcessorCount && isStarved && wantedThreads > Self.mostThreads
  }

  /// Dispatch adds a thread a second to its pool while all that it has are blocked, up to so many.
  private static let mostThreads = 255

  /// Threads other than the main one that wait.
  private var workers: [RecordedThread] { threads.filter { $0.askingSince != nil && $0.id != record.mainThread } }

  /// Blocks that could begin if they had a thread.
  var starved: Int64 { starvedQueues.reduce(record.pendingGlobal) { $0 + Int64($1.pending) } }

  /// Queues with blocks that could begin if they had a thread.
  private var starvedQueues: [RecordedQueue] {
    let waiting = queues.filter { $0.pending > 0 && $0.suspended <= 0 }
    // What is read of the file is read once, and only if it is needed.
    guard !waiting.isEmpty else { return [] }
    let main = record.mainThread, still = standstill, classes = record.classes
    return waiting.filter { queue in
      // Beside others, where none of them can be a barrier.
      let isShared = classes.named(queue.classID)?.isShared ?? false
      return still.holder(of: queue.instance, shared: isShared) == nil
        && (queue.target == 0 || still.holder(of: queue.target) == nil)
        && !threads.contains { $0.id == main && $0.holds.contains { $0.thing.instance == queue.instance } }
    }
  }

  /// How many threads of the pool it takes to run at once what runs and what could begin. Serial queues take theirs
  /// from another pool, which grows at once; so does what targets them.
  private var wantedThreads: Int64 {
    let classes = record.classes
    func isSerial(_ classID: UInt32?) -> Bool { classID.flatMap(classes.named)?.isSerial ?? false }
    let elsewhere = threads.count { $0.id != record.mainThread && isSerial($0.holds.first?.thing.classID) }
    let classIDs = Dictionary(queues.map { ($0.instance, $0.classID) }, uniquingKeysWith: { first, _ in first })
    return starvedQueues.filter { !isSerial($0.classID) && !isSerial(classIDs[$0.target]) }
      .reduce(max(0, record.running - Int64(elsewhere)) + record.pendingGlobal) { $0 + Int64($1.pending) }
  }

  /// For SIGQUIT.
  func description(images: ProgramImages) -> String {
    let names = ClassNames(record.classes, images: images), still = standstill
    let blocked = threads.filter { $0.askingSince != nil }
    var lines = [
      "gate queuecheck: process \(record.processID), \(threads.count) threads, \(blocked.count) of them wait"
    ]
    for thread in blocked {
      let since = thread.askingSince.map { Double(now > $0 ? now - $0 : 0) / 1e9 } ?? 0
      let blocker = still.blocked.first { $0.id == thread.id }.flatMap(still.blocker)
      let holder = blocker.map { ", held by thread \($0.id)" } ?? ""
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
