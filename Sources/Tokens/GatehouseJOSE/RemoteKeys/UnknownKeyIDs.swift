import GatehouseBase

/// Key IDs that were looked up and not found: the latest ones, a bounded number.
struct UnknownKeyIDs: Sendable {
  static let maximumCount = 256

  private var ends: [[UInt8]: Double] = [:]
  private var order: [[UInt8]] = []

  func contains(_ keyID: String, at now: Double) -> Bool {
    guard let end = ends[Array(keyID.utf8)] else { return false }
    return now < end
  }

  mutating func insert(_ keyID: String, until end: Double) {
    let name = Array(keyID.utf8)
    if ends.updateValue(end, forKey: name) == nil { order.append(name) }
    if order.count > Self.maximumCount { ends[order.removeFirst()] = nil }
  }

  var count: Int { ends.count }
}

extension AuthError {
  /// No key of the set has the token's `kid`.
  static var unknownKey: AuthError { AuthError(.unknownKey, "no key of the set has the token's `kid`") }
}
