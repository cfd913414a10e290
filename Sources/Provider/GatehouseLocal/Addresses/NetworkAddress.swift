/// An IP address: four bytes of IPv4, or sixteen of IPv6.
///
/// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`), the form used by a socket for both, is treated as the IPv4
/// address.
package struct NetworkAddress: Hashable, Sendable {
  package let bytes: [UInt8]

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
  package var client: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }

  /// A network that an address belongs to.
  package struct Network: Sendable {
    /// The first bytes of its addresses.
    package let prefix: [UInt8]
    /// The factor by which the network's limits exceed those of one client.
    package let share: Int

    package init(prefix: [UInt8], share: Int) { (self.prefix, self.share) = (prefix, share) }
  }

  /// The address's network, and the larger ones of IPv6 that may be one client's as well, the largest one last. A
  /// connection often has 56 bits, and a site 48: 256 and 65,536 networks, which would each have a limit of their own.
  /// Their limits are higher, because some providers divide them among clients (decision 134).
  package var networks: [Network] {
    guard bytes.count != 4 else { return [Network(prefix: bytes, share: 1)] }
    return [(8, 1), (7, 4), (6, 16)].map { Network(prefix: Array(bytes.prefix($0)), share: $1) }
  }

  /// `client` as text: `192.0.2.1`, or `2001:db8:0:1::/64`.
  var clientText: String {
    bytes.count == 4 ? bytes.map { String($0) }.joined(separator: ".") : text(ofFirst: 64)
  }

  /// The network of an IPv6 address with a prefix of so many bits, 16 to 64 in whole bytes: `2001:db8:0::/48`.
  func text(ofFirst bits: Int) -> String {
    let kept = bytes.prefix(bits / 8) + (bits % 16 == 0 ? [] : [0])
    let groups = stride(from: 0, to: kept.count, by: 2).map {
      String(Int(kept[$0]) << 8 | Int(kept[$0 + 1]), radix: 16)
    }
    return "\(groups.joined(separator: ":"))::/\(bits)"
  }

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
