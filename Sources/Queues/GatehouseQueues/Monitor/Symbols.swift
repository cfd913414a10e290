import GatehouseWaits
package import Runtime

/// Names for addresses of this process.
enum Symbols {
  /// The functions that contain the return addresses, innermost first; none if they cannot be looked up. Slow.
  static func symbols(_ addresses: [UInt]) -> [SymbolicatedBacktrace.Symbol] {
    guard !addresses.isEmpty else { return [] }
    return MappedImages.ofThisProcess().symbols(addresses).flatMap(\.self)
  }

  /// The frames, innermost first, without those of the monitor and the libraries below it, unless there are no others.
  static func frames(_ addresses: [UInt]) -> [WaitReport.Frame] {
    let symbols = symbols(addresses)
    guard !symbols.isEmpty else {
      return addresses.map { WaitReport.Frame(function: "0x" + String($0, radix: 16), file: nil, line: nil, image: "") }
    }
    let frames = symbols.map(WaitReport.Frame.init)
    let own = frames.filter { !$0.isMachinery }
    return own.isEmpty ? frames : own
  }
}

extension WaitReport.Frame {
  package init(_ symbol: SymbolicatedBacktrace.Symbol) {
    self.init(
      function: symbol.name, file: symbol.sourceLocation?.path, line: symbol.sourceLocation.map(\.line),
      image: symbol.imageName)
  }

  /// Whether the frame belongs to the monitor, Dispatch or the runtime.
  fileprivate var isMachinery: Bool {
    if image.hasPrefix("lib") || image.hasPrefix("ld-") { return true }
    guard let file else { return function.hasPrefix("_") }
    return file.contains("/Sources/Queues/GatehouseQueues/") || file.contains("/Sources/Queues/CGatehouseWaits/")
      || file.hasSuffix("<compiler-generated>") || file.contains("/swift-generated-sources/")
  }
}

extension WaitNames {
  /// The names of this process. Each stack is looked up once, when it is first read.
  static let ofThisProcess = WaitNames(
    resourceClass: { WaitClasses[$0] },
    stack: { addresses in
      let known = UnwatchedLock<[WaitReport.Frame]?>(nil)
      return CallStack {
        if let frames = known.withLock({ $0 }) { return frames }
        let frames = Symbols.frames(addresses)
        known.withLock { $0 = frames }
        return frames
      }
    })
}
