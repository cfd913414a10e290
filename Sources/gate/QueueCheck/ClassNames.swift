import GatehouseQueues
import GatehouseWaits

/// The names of the classes in a record.
///
/// A name is looked up when it is first needed, and then kept. Most names are never needed, and each look-up reads
/// debug information.
final class ClassNames: Sendable {
  private let classes: [RecordedClass]
  private let images: ProgramImages
  private let found = Lock([UInt32: ResourceClass]())

  init(_ classes: [RecordedClass], images: ProgramImages) {
    self.classes = classes
    self.images = images
  }

  /// Finds the names of the classes and of the program's addresses.
  var waitNames: WaitNames {
    WaitNames(
      resourceClass: { self[$0] }, makers: { self.makers(of: $0) }, families: { self.families(among: $0) },
      prepare: images.prepare,
      stack: { [images] addresses in CallStack { images.frames(addresses) } })
  }

  /// The calls that made the first resource of a class, without those that only wrap a lock.
  private func makers(of id: UInt32) -> [WaitReport.Frame] {
    guard let recorded = classes.named(id), recorded.address == 0 else { return [] }
    return images.frames(recorded.makers).withoutWrappers
  }

  private func families(among ids: [UInt32]) -> [[UInt32]] {
    let known = ids.compactMap { id in classes.named(id).map { (id, $0) } }.filter { $1.address == 0 }
    images.prepare(known.flatMap { $1.makers })
    return Families(
      known.map { id, recorded in
        // Calls further out do not distinguish classes.
        let calls = images.calls(Array(recorded.makers.prefix(Self.callsOfAClass)))
        return Families.Member(id, recorded.kind, label: recorded.isNamedByProgram ? recorded.label : "", calls: calls)
      }
    ).all
  }

  /// The number of calls by which the recorder distinguishes classes: `MAKERS` in `record.c`.
  private static let callsOfAClass = 5

  private subscript(_ id: UInt32) -> ResourceClass {
    if let known = found.withLock({ $0[id] }) { return known }
    let recorded = classes.named(id)
    let name = recorded.map(named) ?? ResourceClass(nil, site: "")
    found.withLock { $0[id] = name }
    return name
  }

  private func named(_ recorded: RecordedClass) -> ResourceClass {
    if recorded.address != 0, recorded.kind != .mainQueue {
      return ResourceClass(
        recorded, site: images.location(of: recorded.address), variable: images.variable(at: recorded.address) ?? "")
    }
    // A label is the name.
    guard recorded.label.isEmpty, let own = images.ownFrame(recorded.makers) else { return unnumbered(recorded) }
    // Other classes that were made by the same function get the same name. They are numbered, in the order of the
    // lines, to tell them apart.
    let name = unnumbered(recorded)
    let near = classes.filter { $0.address == 0 && isNear($0, own.address) }
    images.prepare(near.flatMap(\.makers))
    let siblings = near.filter { $0.label == recorded.label && unnumbered($0).lastingName == name.lastingName }
      .compactMap { images.ownFrame($0.makers) }
    func number(_ siblings: [(frame: WaitReport.Frame, address: UInt)]) -> Int {
      let places = Set(siblings.map { Place(line: $0.frame.line ?? 0, address: $0.address) }).sorted()
      return 1 + (places.firstIndex(of: Place(line: own.frame.line ?? 0, address: own.address)) ?? 0)
    }
    return unnumbered(
      recorded, number: number(siblings), numberOnLine: number(siblings.filter { $0.frame.line == own.frame.line }))
  }

  private struct Place: Hashable, Comparable {
    let line: Int, address: UInt

    static func < (one: Place, other: Place) -> Bool { (one.line, one.address) < (other.line, other.address) }
  }

  /// Whether both may be made by the same function: no function is expected to be longer than this.
  private func isNear(_ recorded: RecordedClass, _ address: UInt) -> Bool {
    recorded.makers.contains { max($0, address) - min($0, address) < 1 << 16 }
  }

  private func unnumbered(_ recorded: RecordedClass, number: Int = 1, numberOnLine: Int = 1) -> ResourceClass {
    guard let frame = images.frames(recorded.makers).withoutWrappers.first else {
      return ResourceClass(recorded, site: "")
    }
    let file = frame.file.flatMap { $0.split(separator: "/").last.map(String.init) }
    let site = file.flatMap { file in frame.line.map { "\(file):\($0)" } } ?? "\(frame.function) in \(frame.image)"
    return ResourceClass(recorded, site: site, maker: frame.place, number: number, numberOnLine: numberOnLine)
  }
}

extension RecordedClass {
  /// Whether its label is the program's. Foundation and the recorder label queues as well.
  fileprivate var isNamedByProgram: Bool { !["NSOperationQueue", "source"].contains(label) }
}

extension [WaitReport.Frame] {
  /// The frames from the first one on that does not only wrap a lock; all if there is none.
  fileprivate var withoutWrappers: [WaitReport.Frame] {
    firstIndex { !$0.isLockWrapper }.map { Array(self[$0...]) } ?? self
  }
}
