/// A JSON object that was validated as strictly as `JSONObject` but not built: each value is built when it is read.
package struct ScannedObject: Sendable {
  /// The original text.
  package let text: [UInt8]
  private let members: [JSONMember]
  /// The union of the members' key bits.
  private let bits: UInt64

  /// Parses one JSON object, as strictly as `JSONValue.init(parsing:limits:)`.
  package init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(AuthError) {
    var scanner = JSONScanner(limits: limits)
    try scanner.scan(bytes.span)
    guard scanner.isObject else {
      throw AuthError(.jsonMalformed, "expected a JSON object")
    }
    text = bytes
    members = scanner.members
    bits = scanner.bits
  }

  /// The whole object, built on each access.
  package var object: JSONObject {
    var object = JSONObject()
    for member in members {
      let name = String(decoding: member.unescapedName(in: text.span), as: UTF8.self)
      object.append(new: name, built(ScannedValue(range: member.value)))
    }
    return object
  }

  package subscript(_ name: String) -> JSONValue? { scanned(name).map(built) }

  /// The approximate memory use, in bytes.
  package var memory: Int { text.capacity + members.capacity * MemoryLayout<JSONMember>.stride + 64 }
}

/// The byte range of a value in the text of a `ScannedObject`.
package struct ScannedValue: Sendable, Equatable, BitwiseCopyable {
  // 32 bits for the same reason as in `JSONMember`.
  private let start, end: UInt32

  @inline(__always)
  fileprivate init(range: Range<Int>) {
    start = UInt32(truncatingIfNeeded: range.lowerBound)
    end = UInt32(truncatingIfNeeded: range.upperBound)
  }

  @inline(__always)
  fileprivate var range: Range<Int> { Int(start)..<Int(end) }
}

// MARK: Queries on values that are not built

extension ScannedObject {
  /// The range of a member's value; `nil` if there is no such member.
  package func scanned(_ name: String) -> ScannedValue? {
    let key = MemberKey(name.utf8.span)
    for member in members where member.key == key {
      guard key.isWhole || member.unescapedName(in: text.span).elementsEqual(name.utf8) else { continue }
      return ScannedValue(range: member.value)
    }
    return nil
  }

  /// The range of the value of a member with a short name (at most 16 bytes).
  package func scanned(_ key: MemberKey) -> ScannedValue? {
    guard bits & key.bit != 0 else { return nil }
    for index in members.indices where members[index].key == key { return ScannedValue(range: members[index].value) }
    return nil
  }

  /// Whether the value is a string.
  package func isString(_ value: ScannedValue) -> Bool { text[value.range.lowerBound] == UInt8(ascii: "\"") }

  /// Whether the value is `null`.
  package func isNull(_ value: ScannedValue) -> Bool { text[value.range.lowerBound] == UInt8(ascii: "n") }

  /// Whether the value is a string with exactly these UTF-8 bytes.
  package func isExactly(_ value: ScannedValue, _ other: [UInt8]) -> Bool {
    guard isString(value) else { return false }
    let inside = text.span.extracting(value.range.lowerBound + 1..<value.range.upperBound - 1)
    let backslash = UInt8(ascii: "\\")
    // Few strings have escapes. Text that equals bytes without a backslash has none.
    if inside.isExactly(other.span) { return other.span.firstIndex(of: backslash) == nil }
    return inside.firstIndex(of: backslash) != nil && JSONEscape.unescaped(inside) == other
  }

  /// Whether the value is a string of 1 to `most` Unicode scalars.
  package func isText(_ value: ScannedValue, of most: Int) -> Bool {
    guard isString(value) else { return false }
    let length = value.range.count - 2
    // Every scalar, escaped or not, takes at least one byte.
    if length <= most { return length > 0 }
    return (built(value).string?.unicodeScalars.count).map { $0 <= most } ?? false
  }

  /// Whether the value begins with a minus sign: a negative number, or minus zero.
  package func isNegative(_ value: ScannedValue) -> Bool { text[value.range.lowerBound] == UInt8(ascii: "-") }

  /// The value as a finite `Double`, if it is a number.
  package func double(_ value: ScannedValue) -> Double? {
    // 15 digits do not overflow, and a `Double` represents them exactly.
    guard value.range.count <= 15 else { return built(value).double }
    let text = text.span
    var whole: Int64 = 0
    var start = value.range.lowerBound
    if value.range.count >= 8, let first = text.eightDigits(at: start) {
      whole = first
      start += 8
    }
    for index in start..<value.range.upperBound {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return built(value).double }
      whole = whole &* 10 &+ Int64(digit)
    }
    return Double(whole)
  }

  /// The value, built.
  package func built(_ value: ScannedValue) -> JSONValue {
    var builder = JSONBuilder(text, at: value.range.lowerBound)
    return builder.value()
  }
}
