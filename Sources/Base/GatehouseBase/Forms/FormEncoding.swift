/// The encoding `name=value&name=value` of forms and queries.
package enum FormEncoding {
  /// Encodes the items in order.
  package static func encode(_ items: [(name: String, value: String)]) -> String {
    items.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
  }

  /// Decodes the items in order.
  ///
  /// - Parameter limits: the limits of a JSON object, which hold for a form as well.
  /// - Throws: `.tooLarge` beyond the limits; `.malformed` for an invalid `%` escape, invalid UTF-8, or too many
  ///   combining marks.
  package static func decode(
    _ text: String, limits: JSONLimits = .standard
  ) throws(FormFault) -> [(name: String, value: String)] {
    guard text.utf8.count <= limits.bytes else { throw .tooLarge }
    Steps.add(text.utf8.count)
    let parts = text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: max(limits.members, 0))
    guard parts.count <= limits.members else { throw .tooLarge }
    var items: [(name: String, value: String)] = []
    for part in parts {
      let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = unescaped(sides[0]), let value = sides.count > 1 ? unescaped(sides[1]) : "" else {
        throw .malformed
      }
      guard name.utf8.count <= limits.nameBytes else { throw .tooLarge }
      items.append((name, value))
    }
    return items
  }

  /// Escapes all but RFC 3986's unreserved characters as `%XX`.
  package static func escaped(_ text: String) -> String {
    var escaped: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        escaped.append(byte)
      default: escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  private static func unescaped(_ text: Substring.UTF8View) -> String? {
    guard text.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }) else {
      return String(validating: text, as: UTF8.self).flatMap { $0.isStreamSafe ? $0 : nil }
    }
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self).flatMap { $0.isStreamSafe ? $0 : nil }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// An error in the encoding of a form or a query.
package enum FormFault: Error {
  case malformed
  /// The text, its number of items or a name is beyond the limits.
  case tooLarge
}
