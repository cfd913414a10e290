import CGatehouseWaits
import GatehouseQueues

/// What the record of a process says: circles of waits, and waits of which nothing can be said.
struct ProgramFindings: Sendable {
  let reports: [WaitReport]
  private let names: ClassNames
  private let images: ProgramImages
  private let waits: [RecordedWait]
  /// Classes of signals whose givers are known.
  private let attributed: Set<UInt32>

  init(_ record: RecordFile, images: ProgramImages) {
    let names = ClassNames(record.classes, images: images)
    let edges = record.edges.filter { !names.isNoLock($0.from.classID) && !names.isNoLock($0.to.classID) }
    let suspects = Self.thatMayClose(edges)
    var graph = WaitGraph()
    // What nests, and which queues have barriers, is learned from all before anything is said about one.
    for (place, known) in names.classes.enumerated() where known.hasBarriers {
      _ = graph.noteBarrier(UInt32(place + 1))
    }
    for edge in suspects where edge.reason != .itself { _ = graph.add(edge) }
    var seen: Set<[UInt32]> = []
    let cycles = suspects.compactMap { edge -> [WaitEdge]? in
      guard let cycle = edge.reason == .itself ? graph.add(edge) : graph.cycle(through: edge) else { return nil }
      guard Self.isCertain(cycle.edges) else { return nil }
      return seen.insert(Set(cycle.edges.map(\.from.classID)).sorted()).inserted ? cycle.edges : nil
    }
    images.prepare(
      cycles.joined().flatMap { edge in
        edge.heldAt + edge.askedAt + names.makers(of: edge.from.classID) + names.makers(of: edge.to.classID)
      })
    reports = cycles.map { WaitReport(cycle: $0, names.forReports) }
    self.names = names
    self.images = images
    waits = record.waits
    attributed = Set(
      edges.compactMap { edge in if case .signal(let thing) = edge.reason { thing.classID } else { nil } })
  }

  /// Without the waits that no circle can go through, which are most: nothing is waited for under what they lead to, or
  /// no thread waits for what they come from. And so on, until each has one before it and one behind it.
  private static func thatMayClose(_ edges: [WaitEdge]) -> [WaitEdge] {
    var rest = edges
    while true {
      let held = Set(rest.map(\.from.classID)), asked = Set(rest.map(\.to.classID))
      let next = rest.filter { held.contains($0.to.classID) && asked.contains($0.from.classID) }
      if next.count == rest.count { return rest }
      rest = next
    }
  }

  /// Who gives a signal was seen of these very things: what holds of one completion says nothing of another one, though
  /// both were made at one place. A circle with signals counts when the same things meet at every joint.
  private static func isCertain(_ edges: [WaitEdge]) -> Bool {
    let hasSignal = edges.contains { if case .signal = $0.reason { true } else { false } }
    let next = edges.dropFirst() + edges.prefix(1)
    return !hasSignal || zip(edges, next).allSatisfy { $0.to.instance == $1.from.instance }
  }

  /// Blocked threads of Swift's cooperative pool: worth knowing, and no deadlock.
  var blocked: [WaitReport] {
    images.prepare(waits.flatMap { $0.asked.frames + names.makers(of: $0.asked.thing.classID) })
    return waits.filter(\.isCooperative).map { wait in
      let asked = names[wait.asked.thing.classID]
      return WaitReport(
        .blockedPoolThread, name: asked.name,
        summary: """
          A thread of Swift's pool, of which there is one a processor, was blocked by waiting for \(asked.name).
          """,
        waits: [
          WaitReport.Wait(
            held: "a thread of Swift's pool", heldSite: "", heldAt: names.forReports.stack([]), asked: asked.name,
            askedSite: asked.site,
            askedAt: names.forReports.stack(wait.asked.frames), thread: wait.thread)
        ],
        rule: "Await instead: a continuation, an async sequence, or a task's value.")
    }
  }

  /// Waits for what nobody is known to give, while something was held.
  var unattributed: [String] {
    images.prepare(
      waits.flatMap { wait in
        wait.asked.frames + [wait.held, wait.asked].flatMap { names.makers(of: $0.thing.classID) }
      })
    return waits.filter { !attributed.contains($0.asked.thing.classID) && $0.held.thing.instance != 0 }.map { wait in
      let at = images.frames(wait.asked.frames).first.map { " at \($0)" } ?? ""
      return "\(names[wait.held.thing.classID].name) held, \(names[wait.asked.thing.classID].name) waited for\(at)"
    }
  }
}
