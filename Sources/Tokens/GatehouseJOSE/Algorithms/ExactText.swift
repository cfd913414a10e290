import GatehouseBase

/// A key ID or a user ID that is compared as bytes. It prints as text.
struct ExactText: Hashable, Sendable {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }
}

extension ExactText: CustomStringConvertible, CustomReflectable {
  var description: String { String(decoding: bytes, as: UTF8.self).printable() }
  var customMirror: Mirror { Mirror(self, children: []) }
}
