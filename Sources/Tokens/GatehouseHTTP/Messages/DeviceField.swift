package import GatehouseBase

/// The header field with the cookie of a client's device, by which Gatehouse's server knows the device again.
package enum DeviceField {
  package static let name = "X-Gatehouse-Device"

  /// Returns the cookie in a field or a file; `nil` for text that no server has made.
  package static func cookie(_ text: String) -> Secret? {
    let isCookie = text.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    return isCookie && (1...128).contains(text.utf8.count) ? Secret(text) : nil
  }
}
