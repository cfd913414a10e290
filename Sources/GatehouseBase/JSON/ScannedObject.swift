/// A JSON object that was read as strictly as any, and of which only that is built which somebody asks for.
package struct ScannedObject: Sendable {
  private let bytes: [UInt8]
  private let members: [JSONMember]

  /// Reads one JSON object, as strictly as `JSONValue.init(parsing:limits:)`.
  package init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(AuthError) {
    var scanner = JSONScanner(bytes, limits: limits)
    try scanner.scan()
    guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      throw AuthError(.jsonMalformed, "the JSON is not an object")
    }
    self.bytes = bytes
    members = scanner.members
  }

  /// The whole object, built anew each time.
  package var object: JSONObject {
    var object = JSONObject()
    for member in members { object.append(new: name(of: member), value(of: member)) }
    return object
  }

  /// The text as it was read.
  package var text: [UInt8] { bytes }

  package subscript(_ name: String) -> JSONValue? { member(name).map(value) }

  /// One member, as it stands in the text.
  package func scanned(_ name: String) -> ScannedValue? {
    member(name).map { ScannedValue(bytes: bytes, range: $0.value) }
  }

  private func member(_ name: String) -> JSONMember? { members.first { $0.isNamed(name, in: bytes) } }

  private func value(of member: JSONMember) -> JSONValue {
    var builder = JSONBuilder(bytes, at: member.value.lowerBound)
    return builder.value()
  }

  private func name(of member: JSONMember) -> String {
    member.isEscaped
      ? String(decoding: JSONEscape.unescaped(bytes, member.name), as: UTF8.self)
      : String(decoding: bytes[member.name], as: UTF8.self)
  }
}

/// A value of a `ScannedObject` that was not built.
package struct ScannedValue: Sendable {
  fileprivate let bytes: [UInt8]
  fileprivate let range: Range<Int>

  /// Whether this is a string.
  package var isString: Bool { bytes[range.lowerBound] == UInt8(ascii: "\"") }

  /// Whether this is a string of exactly these bytes.
  package func isExactly(_ text: String) -> Bool {
    guard isString else { return false }
    let inside = range.lowerBound + 1..<range.upperBound - 1
    // Nearly no text has escapes, and one that has none cannot equal one that has.
    if bytes.span.extracting(inside).isExactly(text.utf8.span) { return !bytes[inside].contains(UInt8(ascii: "\\")) }
    guard bytes[inside].contains(UInt8(ascii: "\\")) else { return false }
    return JSONEscape.unescaped(bytes, inside).elementsEqual(text.utf8)
  }

  /// How many Unicode scalars the text has; `nil` if this is none.
  package var characterCount: Int? { built.string?.unicodeScalars.count }

  /// Whether this is a number with a minus before it, zero included.
  package var isNegative: Bool { bytes[range.lowerBound] == UInt8(ascii: "-") }

  /// The number as a finite `Double`, if this is one.
  package var double: Double? {
    var whole: Int64 = 0
    // Up to so many digits nothing overflows, and a `Double` has them all.
    if range.count <= 15 {
      for byte in bytes[range] {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return built.double }
        whole = whole * 10 + Int64(byte - UInt8(ascii: "0"))
      }
      return Double(whole)
    }
    return built.double
  }

  /// The value itself.
  package var built: JSONValue {
    var builder = JSONBuilder(bytes, at: range.lowerBound)
    return builder.value()
  }
}
