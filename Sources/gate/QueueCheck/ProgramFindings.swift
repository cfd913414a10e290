import CGatehouseWaits
import GatehouseQueues

/// What the record of a process says: circles of waits, and waits of which nothing can be said.
struct ProgramFindings: Sendable {
  let reports: [WaitReport]
  /// Blocked threads of Swift's cooperative pool: worth knowing, and no deadlock.
  let blocked: [WaitReport]
  /// Waits for what nobody is known to give, while something was held.
  let unattributed: [String]

  init(_ record: RecordFile, images: ProgramImages) {
    let names = ClassNames(record.classes, images: images)
    let edges = record.edges.filter { !names.isNoLock($0.from.classID) && !names.isNoLock($0.to.classID) }
    var graph = WaitGraph()
    // What nests, and which queues have barriers, is learned from all before anything is said about one.
    for (place, known) in names.classes.enumerated() where known.hasBarriers {
      _ = graph.noteBarrier(UInt32(place + 1))
    }
    for edge in edges where edge.reason != .itself { _ = graph.add(edge) }
    var seen: Set<[UInt32]> = []
    reports = edges.compactMap { edge -> WaitReport? in
      guard let cycle = graph.add(edge) else { return nil }
      guard seen.insert(Set(cycle.edges.map(\.from.classID)).sorted()).inserted else { return nil }
      return WaitReport(cycle: cycle.edges, classes: { names[$0] }, symbols: images.frames)
    }
    let waits = record.waits
    blocked = waits.filter(\.isCooperative).map { wait in
      let asked = names[wait.asked.thing.classID]
      return WaitReport(
        .blockedPoolThread, name: asked.name,
        summary:
          "A thread of Swift's pool, of which there is one a processor, was blocked by waiting for \(asked.name).",
        waits: [
          WaitReport.Wait(
            held: "pool thread", heldSite: "", heldAt: [], asked: asked.name, askedSite: asked.site,
            askedAt: images.frames(wait.asked.frames), thread: wait.thread)
        ],
        rule: "Await instead: a continuation, an async sequence, or a task's value.")
    }
    let attributed = Set(
      edges.compactMap { edge in if case .signal(let thing) = edge.reason { thing.classID } else { nil } })
    unattributed = waits.filter { !attributed.contains($0.asked.thing.classID) && $0.held.thing.instance != 0 }
      .map { wait in
        let at = images.frames(wait.asked.frames).first.map { " at \($0)" } ?? ""
        return "\(names[wait.held.thing.classID].name) held, \(names[wait.asked.thing.classID].name) waited for\(at)"
      }
  }
}

/// The classes of a record, as people call them.
struct ClassNames: Sendable {
  let classes: [RecordedClass]
  private let images: ProgramImages

  init(_ classes: [RecordedClass], images: ProgramImages) {
    self.classes = classes
    self.images = images
  }

  private func row(_ id: UInt32) -> RecordedClass? {
    let place = Int(id) - 1
    return classes.indices.contains(place) ? classes[place] : nil
  }

  func isNoLock(_ id: UInt32) -> Bool { row(id)?.isNoLock ?? false }

  subscript(_ id: UInt32) -> WaitClass {
    guard let row = row(id) else { return WaitClass(.lock, label: "that did not fit in the record", site: "") }
    let site =
      row.address != 0 && row.kind != GWR_MAIN.rawValue
      ? images.place(of: row.address)
      : images.frames(row.makers).first.map { frame in
        guard let file = frame.file, let line = frame.line else { return "\(frame.function) in \(frame.image)" }
        return "\(file.split(separator: "/").last.map(String.init) ?? file):\(line)"
      } ?? ""
    switch row.kind {
    case GWR_SERIAL.rawValue, GWR_CONCURRENT.rawValue: return WaitClass(.queue, label: row.label, site: site)
    case GWR_MAIN.rawValue: return WaitClass(.queue, label: "main", site: "")
    case GWR_POOL.rawValue: return WaitClass(.queue, label: "Swift's pool", site: "")
    case GWR_MUTEX.rawValue, GWR_RWLOCK.rawValue, GWR_LOCK_SEMAPHORE.rawValue:
      return WaitClass(.lock, label: "", site: site)
    case GWR_SEMAPHORE.rawValue: return WaitClass(.signal, label: "semaphore", site: site)
    case GWR_GROUP.rawValue: return WaitClass(.signal, label: "group", site: site)
    case GWR_CONDITION.rawValue: return WaitClass(.signal, label: "condition", site: "")
    case GWR_THREAD.rawValue: return WaitClass(.signal, label: "end of a thread", site: "")
    default: return WaitClass(.signal, label: "work item", site: site)
    }
  }
}
