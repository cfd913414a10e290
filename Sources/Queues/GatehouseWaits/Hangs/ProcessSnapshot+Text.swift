import Foundation
import GatehouseBase

extension ProcessSnapshot {
  /// The state of the process as text of several lines: the waiting threads, what they hold, and queues in demand.
  package func description(_ names: WaitNames) -> String {
    func name(_ hold: WatchedThread.Hold) -> String { names.resourceClass(hold.resource.classID).name }
    let analysis = analysis
    let waiting = threads.filter { $0.waitingSince != nil }
    var lines = [
      "gate queuecheck: process \(processID), \(counted(threads.count, "thread")), of which "
        + counted(waiting.count, "waits", "wait")
    ]
    for thread in waiting {
      let since = thread.waitingSince.map { Double(now > $0 ? now - $0 : 0) / 1e9 } ?? 0
      let blocker = analysis.blocked.first { $0.id == thread.id }.flatMap(analysis.blocker)
      let holder = blocker.map { ", held by thread \($0.id)" } ?? ""
      let seconds = String(format: "%.1f", since)
      lines.append("  thread \(thread.id) has waited \(seconds) s for \(name(thread.wait))\(holder)")
      lines += thread.holds.map { "    holds \(name($0))" }
      lines += names.stack(thread.wait.frames).frames.map { "    at \($0)" }
    }
    for queue in queues where queue.pending > 0 {
      let name = names.resourceClass(queue.classID).name
      let blocks = counted(queue.pending, "block waits", "blocks wait")
      lines.append("  \(blocks) for \(name)\(queue.suspended > 0 ? ", which is suspended" : "")")
    }
    if blocks.pendingGlobal > 0 {
      lines.append(
        "  \(counted(blocks.pendingGlobal, "block waits", "blocks wait")) for a thread on global queues")
    }
    return lines.joined(separator: "\n")
  }
}
