import GatehouseQueues
import GatehouseWaits

/// The names of the classes in a record.
///
/// A name is found when it is first needed, and kept: most are never needed, and each takes a look into debug
/// information.
final class ClassNames: Sendable {
  private let classes: [RecordedClass]
  private let images: ProgramImages
  private let found = Lock([UInt32: ResourceClass]())

  init(_ classes: [RecordedClass], images: ProgramImages) {
    self.classes = classes
    self.images = images
  }

  /// The names of the classes, and of the program's addresses.
  var waitNames: WaitNames {
    WaitNames(
      resourceClass: { self[$0] }, prepare: images.prepare,
      stack: { [images] addresses in CallStack { images.frames(addresses) } })
  }

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
    guard let frame = images.frames(recorded.makers).first else { return ResourceClass(recorded, site: "") }
    let file = frame.file.flatMap { $0.split(separator: "/").last.map(String.init) }
    let site = file.flatMap { file in frame.line.map { "\(file):\($0)" } } ?? "\(frame.function) in \(frame.image)"
    return ResourceClass(recorded, site: site, maker: frame.place)
  }
}
