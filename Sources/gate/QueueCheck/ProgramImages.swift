import GatehouseQueues
import GatehouseWaits

/// Names for the addresses of a program that is watched, or has ended. Each name is looked up once.
final class ProgramImages: Sendable {
  private let images: MappedImages
  private let known = Lock([UInt: [WaitReport.Frame]]())

  /// - Parameter maps: the text of `/proc/PID/maps`.
  init(maps: String) { images = MappedImages(maps: maps) }

  var programName: String { images.programName }

  /// `libcrypto.so.3 + 0x1234`, as far as it is known.
  func place(of address: UInt) -> String { images.place(of: address) }

  /// The frames, innermost first, without those of this monitor, of dispatch and of the Swift runtime, unless there are
  /// no others.
  func frames(_ addresses: [UInt]) -> [WaitReport.Frame] {
    prepare(addresses)
    let all = known.withLock { known in addresses.flatMap { known[$0] ?? [] } }
    let theirs = all.filter { !$0.isMachinery }
    return theirs.isEmpty ? all.filter { !$0.image.hasPrefix(Self.ownName) } : theirs
  }

  static let ownName = "libgatehouse-queuecheck.so"

  /// Finds names for addresses all at once: each look into debug information opens the images again.
  func prepare(_ addresses: [UInt]) {
    let new = known.withLock { known in Set(addresses).filter { known[$0] == nil } }.sorted()
    guard !new.isEmpty else { return }
    let groups = images.symbols(new)
    known.withLock { known in
      for (place, address) in new.enumerated() {
        let plain = WaitReport.Frame(
          function: self.place(of: address), file: nil, line: nil, image: images.imageName(of: address) ?? "?")
        known[address] = place < groups.count ? groups[place].map(WaitReport.Frame.init) : [plain]
      }
    }
  }
}

extension WaitReport.Frame {
  /// Whether it is part of how things wait, and not of the program that does.
  var isMachinery: Bool {
    let libraries = [
      ProgramImages.ownName, "libdispatch.so", "libswift", "libBlocksRuntime.so", "libc.so", "libpthread", "ld-linux",
      "libstdc++", "libFoundation",
    ]
    return libraries.contains { image.hasPrefix($0) }
      || (file.map { $0.hasSuffix("<compiler-generated>") || $0.contains("/swift-generated-sources/") } ?? false)
      || (file == nil && function.hasPrefix("_start"))
  }
}
