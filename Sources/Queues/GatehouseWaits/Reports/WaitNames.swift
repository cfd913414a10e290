/// Names for classes and addresses, of this process or of another one.
package struct WaitNames: Sendable {
  /// Returns the class with this number.
  package let resourceClass: @Sendable (UInt32) -> ResourceClass
  /// Returns the calls that made the first resource of a class, innermost first; none if they are not known.
  let makers: @Sendable (UInt32) -> [WaitReport.Frame]
  /// Returns those of the classes that are of one kind, see `Families`.
  let families: @Sendable ([UInt32]) -> [[UInt32]]
  private let look: @Sendable ([UInt]) -> CallStack
  private let prepareAll: @Sendable ([UInt]) -> Void

  /// - Parameters:
  ///   - prepare: called with all addresses that may be named, before they are named: reading debug information costs
  ///     the same for one address and for hundreds.
  ///   - stack: returns the stack of return addresses, innermost first. Its names are looked up when they are read.
  package init(
    resourceClass: @escaping @Sendable (UInt32) -> ResourceClass,
    makers: @escaping @Sendable (UInt32) -> [WaitReport.Frame] = { _ in [] },
    families: @escaping @Sendable ([UInt32]) -> [[UInt32]] = { _ in [] },
    prepare: @escaping @Sendable ([UInt]) -> Void = { _ in },
    stack: @escaping @Sendable ([UInt]) -> CallStack
  ) {
    self.resourceClass = resourceClass
    self.makers = makers
    self.families = families
    prepareAll = prepare
    look = stack
  }

  package func stack(_ addresses: [UInt]) -> CallStack { look(addresses) }

  package func prepare(_ addresses: [UInt]) { prepareAll(addresses) }

  /// The classes of one report, each under a name of its own: where two have the same name, the first calls that differ
  /// are added, and then a number in the order of their lines.
  func classes(of ids: some Sequence<UInt32>) -> [UInt32: ResourceClass] {
    var named = Dictionary(Set(ids).map { ($0, resourceClass($0)) }) { one, _ in one }
    func alike(_ name: (ResourceClass) -> String) -> [[UInt32]] {
      Dictionary(grouping: named.keys) { named[$0].map(name) ?? "" }.values.filter { $0.count > 1 }
    }
    for ids in alike(\.lastingName) {
      let calls: [[String]] = ids.map { id in
        let frames = makers(id)
        return frames.isEmpty ? [named[id]?.site.withoutLine ?? ""] : frames.map(\.place)
      }
      let depth = (0..<(calls.map(\.count).min() ?? 0)).first { depth in Set(calls.map { $0[depth] }).count > 1 }
      guard let depth else { continue }
      for (id, calls) in zip(ids, calls) { named[id]?.maker = calls[depth] }
    }
    for ids in alike(\.lastingName) + alike(\.name) {
      let sorted = ids.sorted { one, other in
        let (first, second) = (named[one]?.line ?? 0, named[other]?.line ?? 0)
        return (first, one) < (second, other)
      }
      for (index, id) in sorted.enumerated() { named[id]?.ordinal = index + 1 }
    }
    return named
  }
}

/// A call stack whose names are looked up when they are read: most reports are only counted.
package struct CallStack: Sendable {
  private let look: @Sendable () -> [WaitReport.Frame]

  /// - Parameter frames: called each time the frames are read. May take long.
  package init(_ frames: @escaping @Sendable () -> [WaitReport.Frame]) { look = frames }

  /// No frames.
  package init() { self.init { [] } }

  /// The frames, innermost first.
  package var frames: [WaitReport.Frame] { look() }
}
