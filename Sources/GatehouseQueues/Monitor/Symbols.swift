import GatehouseBase
import Runtime

/// Names for addresses of this process.
enum Symbols {
  /// The frames, innermost first, without those of the monitor and of the libraries below it.
  static func frames(_ addresses: [UInt]) -> [WaitReport.Frame] {
    guard !addresses.isEmpty, let trace = try? Backtrace(from: CompactTrace(addresses)),
      let symbolised = trace.symbolicated(with: .capture())
    else {
      return addresses.map { WaitReport.Frame(function: "0x" + String($0, radix: 16), file: nil, line: nil, image: "") }
    }
    let frames = symbolised.frames.compactMap { frame in
      frame.symbol.map { symbol in
        WaitReport.Frame(
          function: symbol.name, file: symbol.sourceLocation?.path, line: symbol.sourceLocation.map(\.line),
          image: symbol.imageName)
      }
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
      || file.hasSuffix("<compiler-generated>")
  }
}

/// Addresses as the runtime's compact format of backtraces has them: the only door by which addresses from elsewhere come in.
private struct CompactTrace: Decoder {
  let text: String
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ addresses: [UInt]) {
    // Version 0, words of 64 bits; then for each frame "a return address, absolute, of 8 bytes", the highest byte first.
    var bytes: [UInt8] = [0x02]
    for address in addresses {
      bytes.append(0x2F)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: address >> UInt(shift)))
      }
    }
    text = Base64.encode(bytes)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Members<Key>(text: text))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Refused() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Refused() }

  private struct Refused: Error {}

  private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let text: String
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { ["architecture", "backtrace"].compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { value(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { value(key) == nil }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
      guard let value = value(key) else { throw Refused() }
      return value
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      guard let value = value(key) as? T else { throw Refused() }
      return value
    }

    private func value(_ key: Key) -> String? {
      switch key.stringValue {
      case "architecture": architecture
      case "backtrace": text
      default: nil
      }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { throw Refused() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { throw Refused() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { throw Refused() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { throw Refused() }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { throw Refused() }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { throw Refused() }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { throw Refused() }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { throw Refused() }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { throw Refused() }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { throw Refused() }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { throw Refused() }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { throw Refused() }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { throw Refused() }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw Refused() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Refused() }
    func superDecoder() throws -> any Decoder { throw Refused() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Refused() }
  }
}

#if arch(x86_64)
  private let architecture = "x86_64"
#elseif arch(arm64)
  private let architecture = "arm64"
#else
  private let architecture = "unknown"
#endif
