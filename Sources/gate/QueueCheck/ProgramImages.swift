import GatehouseQueues
import GatehouseWaits

/// Names for the addresses of a program that is watched, or was. Each name is looked up once.
final class ProgramImages: Sendable {
  private let images: MappedImages
  private let known = Lock([UInt: [WaitReport.Frame]]())
  private let variables = GlobalVariables()

  /// - Parameter maps: the text of `/proc/PID/maps`.
  init(maps: String) { images = MappedImages(maps: maps) }

  var programName: String { images.programName }

  /// The file and the offset, `libcrypto.so.3 + 0x1234`; the address alone if no file contains it.
  func location(of address: UInt) -> String { images.location(of: address) }

  /// The name of the global variable that contains the address; nil if it has none.
  func variable(at address: UInt) -> String? {
    images.file(of: address).flatMap { variables.name(in: $0.path, at: UInt64($0.offset)) }
  }

  /// The frames, innermost first, without those of the monitor, Dispatch and the Swift runtime, unless there are no
  /// others.
  func frames(_ addresses: [UInt]) -> [WaitReport.Frame] {
    prepare(addresses)
    let all = known.withLock { known in addresses.flatMap { known[$0] ?? [] } }
    let own = all.filter { !$0.isMachinery }
    return own.isEmpty ? all.filter { !$0.image.hasPrefix(Self.ownName) } : own
  }

  static let ownName = "libgatehouse-queuecheck.so"

  /// Looks up the names of many addresses at once: each look-up opens the images again.
  func prepare(_ addresses: [UInt]) {
    let new = known.withLock { known in Set(addresses).filter { known[$0] == nil } }.sorted()
    guard !new.isEmpty else { return }
    let groups = images.symbols(new)
    known.withLock { known in
      for (index, address) in new.enumerated() {
        let plain = WaitReport.Frame(
          function: self.location(of: address), file: nil, line: nil, image: images.imageName(of: address) ?? "?")
        known[address] = index < groups.count ? groups[index].map(WaitReport.Frame.init) : [plain]
      }
    }
  }
}

extension WaitReport.Frame {
  /// Whether it belongs to a library that implements waiting, and not to the program.
  var isMachinery: Bool {
    let libraries = [
      ProgramImages.ownName, "libdispatch.so", "libswift", "libBlocksRuntime.so", "libc.so", "libpthread", "ld-linux",
      "libstdc++", "libFoundation",
    ]
    let sanitizers = ["/compiler-rt/", "tsan_interceptors", "asan_interceptors", "sanitizer_common"]
    return libraries.contains { image.hasPrefix($0) } || sanitizers.contains { file?.contains($0) == true }
      || (file.map { $0.hasSuffix("<compiler-generated>") || $0.contains("/swift-generated-sources/") } ?? false)
      || (file == nil && function.hasPrefix("_start"))
  }
}
