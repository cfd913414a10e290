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
        let isShared = record.isShared(classID: $0.classID)
        return Backlog(
          queue: WaitThing(instance: $0.instance, classID: $0.classID, isShared: isShared), pending: Int($0.pending))
      },
      targets: Dictionary(queues.map { ($0.instance, $0.target) }, uniquingKeysWith: { first, _ in first }),
      isMain: { [record] in record.isMain(classID: $0.classID) })
  }

  /// Whether blocks wait for a thread while a processor's worth of them waits as well: with fewer, one that could run the
  /// next block is free.
  var isStarved: Bool { workers.count >= ProcessInfo.processInfo.activeProcessorCount && starved > 0 }

  /// Threads other than the main one that wait.
  private var workers: [RecordedThread] { threads.filter { $0.askingSince != nil && $0.id != record.mainThread } }

  /// Blocks that could begin if they had a thread.
  var starved: Int64 {
    waitingQueues(besideOthers: false).reduce(record.pendingGlobal) { $0 + Int64($1.pending) }
  }

  /// Queues with blocks that nobody keeps from beginning. Besides others on a concurrent queue a block may well begin; it
  /// does not if it is a barrier.
  private func waitingQueues(besideOthers: Bool) -> [RecordedQueue] {
    let main = record.mainThread, still = standstill
    func isFree(_ instance: UInt64) -> Bool {
      instance == 0 || still.holder(of: instance, shared: besideOthers) == nil
    }
    return queues.filter { queue in
      queue.pending > 0 && queue.suspended <= 0 && isFree(queue.instance) && isFree(queue.target)
        && !threads.contains { $0.id == main && $0.holds.contains { $0.thing.instance == queue.instance } }
    }
  }

  /// Whether every thread that runs a block waits, a processor's worth of them for so long, in nanoseconds, blocks wait
  /// behind them, and dispatch will never have as many threads as that takes.
  func isExhausted(after limit: UInt64) -> Bool {
    let old = workers.count { now > $0.askingSince ?? now && now - ($0.askingSince ?? now) >= limit }
    return old >= ProcessInfo.processInfo.activeProcessorCount && workers.count >= record.running && starved > 0
      && wantedThreads > Self.mostThreads
  }

  /// How many threads it takes to run at once what runs and what waits for a thread.
  private var wantedThreads: Int64 {
    waitingQueues(besideOthers: true).reduce(record.running + record.pendingGlobal) { sum, queue in
      sum + (record.isSerial(classID: queue.classID) ? 1 : Int64(queue.pending))
    }
  }

  /// Dispatch adds a thread a second while all that it has are blocked, up to so many.
  private static let mostThreads = 255

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
