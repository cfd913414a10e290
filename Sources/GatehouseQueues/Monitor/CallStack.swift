/// A stack whose names are looked up when somebody reads them: that takes its time, and most reports are only counted.
package final class CallStack: Sendable {
  private let addresses: [UInt]
  private let found: Lock<[WaitReport.Frame]?>

  /// Return addresses of this process, innermost first.
  init(_ addresses: [UInt]) {
    self.addresses = addresses
    found = Lock(unwatched: nil)
  }

  /// A stack whose names are known.
  package init(frames: [WaitReport.Frame]) {
    addresses = []
    found = Lock(unwatched: frames)
  }

  /// Innermost first.
  var frames: [WaitReport.Frame] {
    if let known = found.withLock({ $0 }) { return known }
    let frames = Symbols.frames(addresses)
    found.withLock { $0 = frames }
    return frames
  }
}
