import GatehouseLocal

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
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard parts[1].utf8.allSatisfy(digits.contains), let bits = Int(parts[1]), bits <= all else { return nil }
    (self.address, self.bits) = (address, bits)
    guard !(bits..<all).contains(where: { Self.isSet($0, in: address) }) else { return nil }
  }

  func contains(_ other: NetworkAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    return (0..<bits).allSatisfy { Self.isSet($0, in: other) == Self.isSet($0, in: address) }
  }

  /// Whether a bit of the address is set, counted from the first one.
  private static func isSet(_ bit: Int, in address: NetworkAddress) -> Bool {
    let mask: UInt8 = 0x80 >> (bit % 8)
    return address.bytes[bit / 8] & mask != 0
  }
}
