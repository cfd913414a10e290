import Foundation
import GatehouseQueues
import Runtime

/// What lay where in a process, from the kernel's list of its mappings; names for its addresses, also when it has ended.
final class ProgramImages: Sendable {
  private struct Image: Sendable {
    let path: String
    var start, end: UInt
    var name: String { String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]) }
  }

  private let images: [Image]
  private let known = Lock([UInt: [WaitReport.Frame]]())

  /// - Parameter maps: the text of `/proc/PID/maps`.
  init(maps: String) {
    var images: [String: Image] = [:]
    var first: Image?
    for line in maps.split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 5)
      guard fields.count == 6, let path = fields.last.map({ $0.drop { $0 == " " } }), path.hasPrefix("/"),
        !path.hasSuffix(".record")
      else { continue }
      let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard bounds.count == 2 else { continue }
      let new = Image(path: String(path), start: bounds[0], end: bounds[1])
      first = first ?? new
      images[new.path, default: new].end = new.end
    }
    self.images = images.values.sorted { $0.start < $1.start }
    programName = first?.name ?? ""
  }

  /// The program's own file comes first in the kernel's list.
  let programName: String

  private func image(of address: UInt) -> Image? {
    images.last { $0.start <= address }.flatMap { address < $0.end ? $0 : nil }
  }

  /// `libcrypto.so.3 + 0x1234`, as far as it is known.
  func place(of address: UInt) -> String {
    guard let image = image(of: address) else { return "0x" + String(address, radix: 16) }
    return "\(image.name) + 0x\(String(address - image.start, radix: 16))"
  }

  /// The frames, innermost first, without those of this monitor, of dispatch and of the Swift runtime, unless there are no
  /// others.
  func frames(_ addresses: [UInt]) -> [WaitReport.Frame] {
    prepare(addresses)
    let all = known.withLock { known in addresses.flatMap { known[$0] ?? [] } }
    let theirs = all.filter { !$0.isMachinery }
    return theirs.isEmpty ? all.filter { !$0.image.hasPrefix(Self.ownName) } : theirs
  }

  /// As `frames`, for a report.
  func stack(_ addresses: [UInt]) -> CallStack { CallStack(frames: frames(addresses)) }

  static let ownName = "libgatehouse-queuecheck.so"

  /// Finds names for addresses all at once: each look into debug information opens the images again.
  func prepare(_ addresses: [UInt]) {
    let new = known.withLock { known in Set(addresses).filter { known[$0] == nil } }.sorted()
    guard !new.isEmpty else { return }
    let groups = symbolicated(new)
    known.withLock { known in
      for (place, address) in new.enumerated() {
        let plain = WaitReport.Frame(
          function: self.place(of: address), file: nil, line: nil, image: image(of: address)?.name ?? "?")
        known[address] = place < groups.count ? groups[place] : [plain]
      }
    }
  }

  /// For each address its frames: those of inlined functions, and then their function's own.
  /// What was cut off follows as a frame of its own.
  private func symbolicated(_ addresses: [UInt]) -> [[WaitReport.Frame]] {
    let text = [
      "architecture": Self.architecture, "backtrace": CompactText.frames(addresses),
      "imageMap": CompactText.images(images.map { ($0.path, $0.start, $0.end) }),
    ]
    guard let json = try? JSONEncoder().encode(text), let trace = try? JSONDecoder().decode(Backtrace.self, from: json),
      let frames = trace.symbolicated()?.frames
    else { return [] }
    var groups: [[WaitReport.Frame]] = []
    var group: [WaitReport.Frame] = []
    for frame in frames {
      if let symbol = frame.symbol {
        group.append(
          WaitReport.Frame(
            function: symbol.name, file: symbol.sourceLocation?.path, line: symbol.sourceLocation.map(\.line),
            image: symbol.imageName))
      }
      if frame.inlined { continue }
      groups.append(group)
      group = []
    }
    return groups
  }

  #if arch(x86_64)
    private static let architecture = "x86_64"
  #elseif arch(arm64)
    private static let architecture = "arm64"
  #else
    private static let architecture = "unknown"
  #endif
}

extension WaitReport.Frame {
  /// Whether it is part of how things wait, and not of the program that does.
  var isMachinery: Bool {
    let libraries = [
      ProgramImages.ownName, "libdispatch.so", "libswift", "libBlocksRuntime.so", "libc.so", "libpthread", "ld-linux",
      "libstdc++", "libFoundation",
    ]
    return libraries.contains { image.hasPrefix($0) } || (file?.hasSuffix("<compiler-generated>") ?? false)
      || (file == nil && function.hasPrefix("_start"))
  }
}
