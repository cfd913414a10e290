import GatehouseQueues
import GatehouseWaits

/// The names for the addresses of a program that is or was watched. Each name is looked up once.
final class ProgramImages: Sendable {
  private let images: MappedImages
  private let known = Lock([UInt: [WaitReport.Frame]]())
  private let variables = GlobalVariables()
  private let folders = SourceFolders()

  /// - Parameter maps: the text of `/proc/PID/maps`.
  init(maps: String) { images = MappedImages(maps: maps) }

  var programName: String { images.programName }

  /// The file and the offset, such as `libcrypto.so.3 + 0x1234`; the address alone if no file contains it.
  func location(of address: UInt) -> String { images.location(of: address) }

  /// Returns the name of the global variable that contains the address; `nil` if there is none.
  func variable(at address: UInt) -> String? {
    images.file(of: address).flatMap { variables.name(in: $0.path, at: UInt64($0.offset)) }
  }

  /// Returns the frames, innermost first. Those of the monitor, of Dispatch and of the Swift runtime are left out,
  /// unless there are no others.
  func frames(_ addresses: [UInt]) -> [WaitReport.Frame] {
    prepare(addresses)
    let all = known.withLock { known in addresses.flatMap { known[$0] ?? [] } }
    let own = all.filter { !$0.isMachinery }
    return own.isEmpty ? all.filter { !$0.image.hasPrefix(Self.ownName) } : own
  }

  /// Returns the program's own calls, innermost first.
  func calls(_ addresses: [UInt]) -> [Families.Call] {
    prepare(addresses)
    return known.withLock { known in
      addresses.flatMap { address in
        let frames = known[address] ?? []
        return frames.indices.filter { !frames[$0].isMachinery }.map { index in
          Families.Call(frames[index], address: address, isInlined: index + 1 < frames.count)
        }
      }
    }
  }

  /// Returns the innermost frame of the program's own code that does not only wrap a lock, in the form of `frames`, and
  /// its address; `nil` if there is none.
  func ownFrame(_ addresses: [UInt]) -> (frame: WaitReport.Frame, address: UInt)? {
    prepare(addresses)
    return known.withLock { known in
      for address in addresses {
        if let own = known[address]?.first(where: { !$0.isMachinery && !$0.isLockWrapper }) { return (own, address) }
      }
      return nil
    }
  }

  static let ownName = "libgatehouse-queuecheck.so"

  /// Looks up the names of many addresses at once, because each look-up opens the images again.
  func prepare(_ addresses: [UInt]) {
    let new = known.withLock { known in Set(addresses).filter { known[$0] == nil } }.sorted()
    guard !new.isEmpty else { return }
    let groups = images.symbols(new)
    func frame(_ symbol: ImageSymbol, at address: UInt) -> WaitReport.Frame {
      let frame = WaitReport.Frame(symbol)
      guard let file = frame.file, !file.hasPrefix("/"), let image = images.file(of: address)?.path,
        let path = folders.path(of: file, in: image)
      else { return frame }
      return WaitReport.Frame(function: frame.function, file: path, line: frame.line, image: frame.image)
    }
    known.withLock { known in
      for (index, address) in new.enumerated() {
        let plain = WaitReport.Frame(
          function: self.location(of: address), file: nil, line: nil, image: images.imageName(of: address) ?? "?")
        known[address] = index < groups.count ? groups[index].map { frame($0, at: address) } : [plain]
      }
    }
  }
}

extension WaitReport.Frame {
  /// Whether the frame belongs to a library that implements waiting, and not to the program.
  var isMachinery: Bool {
    let libraries = [
      ProgramImages.ownName, "libdispatch.so", "libswift", "libBlocksRuntime.so", "libc.so", "libpthread", "ld-linux",
      "libstdc++", "libFoundation",
    ]
    let sanitizers = ["/compiler-rt/", "tsan_interceptors", "asan_interceptors", "sanitizer_common"]
    return libraries.contains { image.hasPrefix($0) } || isStandardHeader
      || sanitizers.contains { file?.contains($0) == true }
      || (file.map { $0.hasSuffix("<compiler-generated>") || $0.contains("/swift-generated-sources/") } ?? false)
      || (file == nil && function.hasPrefix("_start"))
  }

  /// Whether the frame is an inline function of the C++ standard library. The lock of a `std::mutex` is made in such a
  /// function.
  private var isStandardHeader: Bool {
    let folders = file?.split(separator: "/") ?? []
    // Examples are `include/c++/12`, `include/c++/v1` and `include/x86_64-linux-gnu/c++/12`.
    return folders.indices.dropLast(2).contains { index in
      folders[index] == "include" && folders[(index + 1)...].prefix(2).contains("c++")
    }
  }
}
