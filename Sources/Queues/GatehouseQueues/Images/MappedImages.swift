import Foundation
import GatehouseSystem
import Runtime
import Synchronization

/// The program files that a process has mapped, and names for its addresses. Also works after the process has ended.
///
/// Reads no memory of the process. `ImageMap.capture()` reads the first bytes of each mapped file, and crashes if
/// another thread unmaps that file meanwhile, as databases do.
package struct MappedImages: Sendable {
  private struct Image: Sendable {
    let path: String
    var start, end: UInt
  }

  private let images: [Image]

  /// The name of the program's own file; empty if the list has none.
  package let programName: String

  /// - Parameter maps: the text of `/proc/PID/maps`.
  package init(maps: String) {
    var images: [String: Image] = [:]
    var first: String?
    var last: String?
    for line in maps.split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 5)
      guard fields.count == 6, let path = fields.last.map({ String($0.drop { $0 == " " }) }), path.hasPrefix("/"),
        !path.hasPrefix("/memfd:")
      else { continue }
      let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard bounds.count == 2, bounds[0] < bounds[1] else { continue }
      defer { last = path }
      // The program's own file comes first in the kernel's list.
      first = first ?? path
      if images[path] == nil {
        images[path] = Image(path: path, start: bounds[0], end: bounds[1])
      } else if path == last {
        // Only an adjacent mapping belongs to the image: the thread sanitizer maps the program a second time,
        // elsewhere.
        images[path]?.end = bounds[1]
      }
    }
    self.images = images.values.sorted { $0.start < $1.start }
    programName = first.map(Self.name) ?? ""
  }

  /// The kernel's list of a process's mappings; empty if it cannot be read.
  ///
  /// `FileManager.contents(atPath:)` returns only the first 4 KiB, because such a file claims to be empty.
  package static func maps(of process: String) -> String {
    let all = try? FileHandle(forReadingAtPath: "/proc/\(process)/maps")?.readToEnd()
    return String(decoding: all ?? Data(), as: UTF8.self)
  }

  private func image(of address: UInt) -> Image? {
    images.last { $0.start <= address }.flatMap { address < $0.end ? $0 : nil }
  }

  /// The name of the file that contains the address.
  package func imageName(of address: UInt) -> String? { image(of: address).map { Self.name($0.path) } }

  /// The path of the file that may contain the address, and the address's offset from the file's first byte. The zeroed
  /// memory behind a file's mappings belongs to it as well, and the kernel's list does not say how much that is.
  package func file(of address: UInt) -> (path: String, offset: UInt)? {
    images.last { $0.start <= address }.map { ($0.path, address - $0.start) }
  }

  /// The file and the offset, `libcrypto.so.3 + 0x1234`; the address alone if no file contains it.
  package func location(of address: UInt) -> String {
    guard let image = image(of: address) else { return "0x" + String(address, radix: 16) }
    return "\(Self.name(image.path)) + 0x\(String(address - image.start, radix: 16))"
  }

  private static func name(_ path: String) -> String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }

  private static let counted = Atomic<Int>(0)

  /// The number of times that this process has looked up names. Each time costs as much for one address as for hundreds.
  package static var lookUps: Int { counted.load(ordering: .relaxed) }

  /// The functions at each return address: inlined ones first, then the one that contains them. Empty if the runtime
  /// cannot look up names. An address outside all images has no functions.
  ///
  /// Slow: reads the images' tables of symbols, and the debug information of the units that contain the addresses.
  package func symbols(_ addresses: [UInt]) -> [[ImageSymbol]] { Self.symbols(addresses) { self } }

  /// The same for this process, with its images at the time of the call.
  package static func symbolsOfThisProcess(_ addresses: [UInt]) -> [[ImageSymbol]] {
    symbols(addresses) { MappedImages(maps: maps(of: "self")) }
  }

  private static func symbols(
    _ addresses: [UInt], in images: @escaping @Sendable () -> MappedImages
  ) -> [[ImageSymbol]] {
    counted.add(1, ordering: .relaxed)
    // On a thread of its own: the runtime keeps what it has read until the thread ends, and files may be read there.
    return OwnThread.run { images().named(addresses) }
  }

  private func named(_ addresses: [UInt]) -> [[ImageSymbol]] {
    var options = Backtrace.SymbolicationOptions.default
    var excerpts: [String: DebugExcerpt] = [:]
    do throws(SystemError) {
      excerpts = try self.excerpts(for: addresses)
    } catch {
      // Without an excerpt, the runtime would read all debug information.
      options = []
    }
    // Each excerpt must be open until the look-up has ended.
    defer { withExtendedLifetime(excerpts) {} }
    let frames = frames(of: addresses, options, excerpts.mapValues(\.path))
    var groups: [[ImageSymbol]] = []
    var group: [ImageSymbol] = []
    for frame in frames {
      if let symbol = frame.symbol, addresses.indices.contains(groups.count) {
        group.append(ImageSymbol(symbol, in: imageName(of: addresses[groups.count]) ?? symbol.imageName))
      }
      if frame.inlined { continue }
      groups.append(group)
      group = []
    }
    return groups
  }

  private func frames(
    of addresses: [UInt], _ options: Backtrace.SymbolicationOptions, _ paths: [String: String]
  ) -> [SymbolicatedBacktrace.Frame] {
    let text = [
      "architecture": architecture, "backtrace": CompactText.frames(addresses),
      "imageMap": CompactText.images(images.map { (paths[$0.path] ?? $0.path, $0.start, $0.end) }),
    ]
    guard let json = try? JSONEncoder().encode(text), let trace = try? JSONDecoder().decode(Backtrace.self, from: json)
    else { return [] }
    return trace.symbolicated(options: options)?.frames ?? []
  }

  private func excerpts(for addresses: [UInt]) throws(SystemError) -> [String: DebugExcerpt] {
    var offsets: [String: [UInt64]] = [:]
    for address in addresses {
      // The call is before the address to which it returns.
      guard let image = image(of: address), address > image.start else { continue }
      offsets[image.path, default: []].append(UInt64(address - image.start - 1))
    }
    var excerpts: [String: DebugExcerpt] = [:]
    for (path, offsets) in offsets { excerpts[path] = try DebugExcerpt(of: path, for: offsets) }
    return excerpts
  }
}

#if arch(x86_64)
  private let architecture = "x86_64"
#elseif arch(arm64)
  private let architecture = "arm64"
#else
  private let architecture = "unknown"
#endif
