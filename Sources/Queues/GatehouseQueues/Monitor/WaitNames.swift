/// What classes and addresses are called, in this process or in another one.
package struct WaitNames: Sendable {
  let classes: @Sendable (UInt32) -> WaitClass
  private let frames: @Sendable ([UInt]) -> [WaitReport.Frame]

  /// - Parameter frames: names return addresses, innermost first. May take long: it is called when a
  ///   report is read.
  package init(
    classes: @escaping @Sendable (UInt32) -> WaitClass, frames: @escaping @Sendable ([UInt]) -> [WaitReport.Frame]
  ) {
    self.classes = classes
    self.frames = frames
  }

  static let ofThisProcess = WaitNames(classes: { WaitClasses[$0] }, frames: Symbols.frames)

  package func stack(_ addresses: [UInt]) -> CallStack { CallStack(addresses, frames: frames) }
}

/// A stack whose names are looked up when somebody reads them: most reports are only counted.
package final class CallStack: Sendable {
  private let addresses: [UInt]
  private let names: @Sendable ([UInt]) -> [WaitReport.Frame]
  private let found = Lock<[WaitReport.Frame]?>(unwatched: nil)

  fileprivate init(_ addresses: [UInt], frames: @escaping @Sendable ([UInt]) -> [WaitReport.Frame]) {
    self.addresses = addresses
    names = frames
  }

  /// Innermost first.
  var frames: [WaitReport.Frame] {
    if let known = found.withLock({ $0 }) { return known }
    let frames = names(addresses)
    found.withLock { $0 = frames }
    return frames
  }
}
