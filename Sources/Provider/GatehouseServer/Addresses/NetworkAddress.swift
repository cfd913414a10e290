/// An IP address: four bytes of IPv4, or sixteen of IPv6.
///
/// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`), the form used by a socket for both, is treated as the IPv4
/// address.
package struct NetworkAddress: Hashable, Sendable {
  let bytes: [UInt8]

  /// Parses an address in any of its usual forms; a zone (`%eth0`) is ignored. `nil` for other text.
  package init?(_ text: some StringProtocol) {
    let text = text.utf8.prefix { $0 != UInt8(ascii: "%") }
    guard text.count <= 45 else { return nil }
    guard let bytes = text.contains(UInt8(ascii: ":")) ? Self.sixteen(Array(text)) : Self.four(Array(text)) else {
      return nil
    }
    self.bytes = bytes.count == 16 && bytes.starts(with: Self.mapped) ? Array(bytes.suffix(4)) : bytes
  }

  /// The part of the address that identifies one client: the whole IPv4 address, or the first 64 bits of IPv6, below
  /// which a client may use any address.
  var client: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }

  private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  private static func four(_ text: [UInt8]) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      // No sign, and no leading zero, because some parsers read `010` as eight.
      guard (1...3).contains(part.count), part.allSatisfy(\.isDecimalDigit),
        part.count == 1 || part.first != 0x30, let byte = UInt8(String(decoding: part, as: UTF8.self))
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func sixteen(_ text: [UInt8]) -> [UInt8]? {
    let colon = UInt8(ascii: ":")
    guard let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) else {
      let bytes = groups(text[...])
      return bytes?.count == 16 ? bytes : nil
    }
    guard let head = groups(text[..<gap]), let tail = groups(text[(gap + 2)...]), head.count + tail.count <= 14 else {
      return nil
    }
    return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
  }

  /// Returns the bytes of groups of hexadecimal digits, the last of which may be an IPv4 address.
  private static func groups(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    var bytes: [UInt8] = []
    let groups = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    for (index, group) in groups.enumerated() {
      if index == groups.count - 1, group.contains(UInt8(ascii: ".")) {
        guard let four = four(Array(group)) else { return nil }
        bytes += four
      } else {
        guard (1...4).contains(group.count), group.allSatisfy(\.isHexDigit),
          let value = UInt16(String(decoding: group, as: UTF8.self), radix: 16)
        else { return nil }
        bytes += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
      }
    }
    return bytes
  }
}

extension UInt8 {
  fileprivate var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}

/// A network: an address and a prefix length.
struct AddressRange: Hashable, Sendable {
  let address: NetworkAddress
  let bits: Int

  /// Parses `10.0.0.0/8`, or one address. `nil` for other text, and for a network with bits set after its prefix, which
  /// may be mistyped.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count <= 2, let address = NetworkAddress(first) else { return nil }
    let all = address.bytes.count * 8
    guard parts.count == 2 else {
      (self.address, bits) = (address, all)
      return
    }
    guard parts[1].utf8.allSatisfy(\.isDecimalDigit), let bits = Int(parts[1]), bits <= all else { return nil }
    (self.address, self.bits) = (address, bits)
    guard (bits..<all).allSatisfy({ address.bytes[$0 / 8] & (0x80 >> UInt8($0 % 8)) == 0 }) else { return nil }
  }

  func contains(_ other: NetworkAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    return (0..<bits).allSatisfy { bit in
      (other.bytes[bit / 8] ^ address.bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
    }
  }
}
