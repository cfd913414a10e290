/// Names for classes and addresses, of this process or of another one.
package struct WaitNames: Sendable {
  /// Returns the class with this number.
  package let resourceClass: @Sendable (UInt32) -> ResourceClass
  private let look: @Sendable ([UInt]) -> CallStack
  private let prepareAll: @Sendable ([UInt]) -> Void

  /// - Parameters:
  ///   - prepare: called with all addresses that may be named, before they are named: reading debug information costs
  ///     the same for one address and for hundreds.
  ///   - stack: returns the stack of return addresses, innermost first. Its names are looked up when they are read.
  package init(
    resourceClass: @escaping @Sendable (UInt32) -> ResourceClass,
    prepare: @escaping @Sendable ([UInt]) -> Void = { _ in },
    stack: @escaping @Sendable ([UInt]) -> CallStack
  ) {
    self.resourceClass = resourceClass
    prepareAll = prepare
    look = stack
  }

  package func stack(_ addresses: [UInt]) -> CallStack { look(addresses) }

  package func prepare(_ addresses: [UInt]) { prepareAll(addresses) }
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
