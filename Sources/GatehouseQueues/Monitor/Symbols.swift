import Foundation
import GatehouseBase
import Runtime

/// Names for addresses of this process.
enum Symbols {
  /// The functions that return addresses lie in, innermost first; none if they cannot be looked up. Takes long.
  static func symbols(_ addresses: [UInt]) -> [SymbolicatedBacktrace.Symbol] {
    guard !addresses.isEmpty else { return [] }
    return Backtrace(addresses)?.symbolicated(with: .capture())?.frames.compactMap { $0.symbol } ?? []
  }

  /// The frames, innermost first, without those of the monitor and of the libraries below it.
  static func frames(_ addresses: [UInt]) -> [WaitReport.Frame] {
    let symbols = symbols(addresses)
    guard !symbols.isEmpty else {
      return addresses.map { WaitReport.Frame(function: "0x" + String($0, radix: 16), file: nil, line: nil, image: "") }
    }
    let frames = symbols.map { symbol in
      WaitReport.Frame(
        function: symbol.name, file: symbol.sourceLocation?.path, line: symbol.sourceLocation.map(\.line),
        image: symbol.imageName)
    }
    let theirs = frames.filter { !$0.isMachinery }
    return theirs.isEmpty ? frames : theirs
  }
}

extension WaitReport.Frame {
  /// Whether the frame is the monitor's own, or Dispatch's or the runtime's.
  fileprivate var isMachinery: Bool {
    if image.hasPrefix("lib") || image.hasPrefix("ld-") { return true }
    guard let file else { return function.hasPrefix("_") }
    return file.contains("/Sources/GatehouseQueues/") || file.contains("/Sources/CGatehouseWaits/")
      || file.hasSuffix("<compiler-generated>") || file.contains("/swift-generated-sources/")
  }
}

extension Backtrace {
  /// A backtrace of addresses that come from elsewhere. Its only public door is what it decodes from: the architecture, and
  /// the runtime's compact format in base64.
  fileprivate init?(_ addresses: [UInt]) {
    // Version 0, words of 64 bits; then for each frame "a return address, absolute, of 8 bytes", the highest byte first.
    var bytes: [UInt8] = [0x02]
    for address in addresses {
      bytes.append(0x2F)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: address >> UInt(shift)))
      }
    }
    let json: JSONObject = ["architecture": .string(machine), "backtrace": .string(Base64.encode(bytes))]
    guard let trace = try? JSONDecoder().decode(Backtrace.self, from: Data(json.serialized())) else { return nil }
    self = trace
  }
}

#if arch(x86_64)
  private let machine = "x86_64"
#elseif arch(arm64)
  private let machine = "arm64"
#else
  private let machine = "unknown"
#endif
