import GatehouseLocal

/// The form of the header field `Host` (RFC 9110 §7.2, RFC 3986 §3.2.2).
enum HostField {
  /// Whether a value is a host and perhaps a port, or empty, as the field is for a request without an authority.
  static func isWellFormed(_ value: String) -> Bool {
    let bytes = value.utf8
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let address = value[..<end].dropFirst()
      return address.utf8.contains(UInt8(ascii: ":")) && !address.utf8.contains(UInt8(ascii: "%"))
        && NetworkAddress(address) != nil && isPort(value[end...].dropFirst())
    }
    let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    // The comma is not among them: it is between two hosts that a proxy has joined.
    let isName = bytes[..<end].allSatisfy { $0.isLetterOrDigit || "-._~%!$&'()*+;=".utf8.contains($0) }
    return isName && (end != bytes.startIndex || bytes.isEmpty) && isPort(value[end...])
  }

  /// Whether a text is empty, or a colon with the digits of a port, of which there may be none.
  private static func isPort(_ text: Substring) -> Bool {
    guard let first = text.utf8.first else { return true }
    return first == UInt8(ascii: ":") && text.utf8.count <= 6
      && text.utf8.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
