import GatehouseWaits

/// Names for addresses of this process. Each is looked up once.
///
/// A report has several stacks, and several readers: the log, and the last words. The stacks of all reports that are
/// not yet named are looked up together, when the first name is read.
enum Symbols {
  private struct State {
    var known: [UInt: [ImageSymbol]] = [:]
    var expected: Set<UInt> = []
  }

  private static let state = UnwatchedLock(State())
  /// Held during a look-up: a second reader waits for the names instead of looking them up as well.
  private static let lookUp = UnwatchedLock(())

  /// Records addresses that may be read later.
  static func expect(_ addresses: [UInt]) {
    state.withLock { state in
      for address in addresses where state.known[address] == nil { state.expected.insert(address) }
    }
  }

  /// The functions that contain the return addresses, innermost first; none if they cannot be looked up. Slow.
  static func symbols(_ addresses: [UInt]) -> [ImageSymbol] {
    expect(addresses)
    lookUp.withLock { _ in
      let new = state.withLock { state in
        addresses.contains { state.known[$0] == nil } ? state.expected.sorted() : []
      }
      guard !new.isEmpty else { return }
      let groups = MappedImages.symbolsOfThisProcess(new)
      state.withLock { state in
        for (index, address) in new.enumerated() {
          state.known[address] = index < groups.count ? groups[index] : []
          state.expected.remove(address)
        }
      }
    }
    return state.withLock { state in addresses.flatMap { state.known[$0] ?? [] } }
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
  package init(_ symbol: ImageSymbol) {
    self.init(function: symbol.name, file: symbol.file, line: symbol.line, image: symbol.image)
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
  /// The names of this process. They are looked up when the first of them is read.
  static let ofThisProcess = WaitNames(
    resourceClass: { WaitClasses[$0] },
    stack: { addresses in
      Symbols.expect(addresses)
      return CallStack { Symbols.frames(addresses) }
    })
}
