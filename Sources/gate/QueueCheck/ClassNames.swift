import CGatehouseWaits
import GatehouseQueues

/// The classes of a record, as people call them.
///
/// Names are found when they are asked for, once: most are never asked for, and each takes a look into debug
/// information.
final class ClassNames: Sendable {
  let classes: [RecordedClass]
  private let images: ProgramImages
  private let found = Lock([UInt32: WaitClass]())

  init(_ classes: [RecordedClass], images: ProgramImages) {
    self.classes = classes
    self.images = images
  }

  private func row(_ id: UInt32) -> RecordedClass? {
    let place = Int(id) - 1
    return classes.indices.contains(place) ? classes[place] : nil
  }

  /// Who made the first one.
  func makers(of id: UInt32) -> [UInt] { row(id)?.makers ?? [] }
  func isNoLock(_ id: UInt32) -> Bool { row(id)?.isNoLock ?? false }

  /// For reports.
  var forReports: WaitNames { WaitNames(classes: { self[$0] }, frames: images.frames) }

  subscript(_ id: UInt32) -> WaitClass {
    if let known = found.withLock({ $0[id] }) { return known }
    let name = name(of: id)
    found.withLock { $0[id] = name }
    return name
  }

  private func name(of id: UInt32) -> WaitClass {
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
