/// A JSON object that was read as strictly as any, and of which only that is built which somebody asks for.
package struct ScannedObject: Sendable {
  /// The text as it was read.
  package let text: [UInt8]
  private let members: [JSONMember]

  /// Reads one JSON object, as strictly as `JSONValue.init(parsing:limits:)`.
  package init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(AuthError) {
    var scanner = JSONScanner(limits: limits)
    try scanner.scan(bytes.span)
    guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      throw AuthError(.jsonMalformed, "the JSON is not an object")
    }
    text = bytes
    members = scanner.members
  }

  /// The whole object, built anew each time.
  package var object: JSONObject {
    var object = JSONObject()
    for member in members {
      let name = String(decoding: member.unescapedName(in: text.span), as: UTF8.self)
      object.append(new: name, built(ScannedValue(range: member.value)))
    }
    return object
  }

  package subscript(_ name: String) -> JSONValue? { scanned(name).map(built) }
}

/// Where a value stands in the text of a `ScannedObject`.
package struct ScannedValue: Sendable {
  fileprivate let range: Range<Int>
}

// MARK: Questions about values that nobody builds

extension ScannedObject {
  /// One member, as it stands in the text.
  package func scanned(_ name: String) -> ScannedValue? {
    let key = MemberKey(name.utf8.span)
    for member in members where member.key == key {
      guard key.isWhole || member.unescapedName(in: text.span).elementsEqual(name.utf8) else { continue }
      return ScannedValue(range: member.value)
    }
    return nil
  }

  /// Several members of short names (16 bytes at most), each as `scanned(_: String)` finds it.
  package func scanned<let count: Int>(
    _ keys: borrowing InlineArray<count, MemberKey>
  ) -> InlineArray<count, ScannedValue?> {
    var found = InlineArray<count, ScannedValue?>(repeating: nil)
    for index in members.indices {
      let member = members[index]
      for place in 0..<count where keys[place] == member.key {
        found[place] = ScannedValue(range: member.value)
        break
      }
    }
    return found
  }

  /// Whether this is a string.
  package func isString(_ value: ScannedValue) -> Bool { text[value.range.lowerBound] == UInt8(ascii: "\"") }

  /// Whether this is a string of exactly these bytes.
  package func isExactly(_ value: ScannedValue, _ other: String) -> Bool {
    guard isString(value) else { return false }
    let inside = inside(value)
    // Nearly no text has escapes, and one that has none cannot equal one that has.
    if text.span.extracting(inside).isExactly(other.utf8.span) { return !isEscaped(inside) }
    return isEscaped(inside) && JSONEscape.unescaped(text.span.extracting(inside)).span.isExactly(other.utf8.span)
  }

  /// How many Unicode scalars a string has; `nil` if this is none.
  package func characterCount(_ value: ScannedValue) -> Int? {
    guard isString(value) else { return nil }
    let inside = inside(value)
    guard !isEscaped(inside) else { return built(value).string?.unicodeScalars.count }
    // Every scalar has one byte that does not go on with another.
    return text[inside].count { $0 & 0xC0 != 0x80 }
  }

  /// Whether this begins with a minus: a number below zero, or minus zero.
  package func isNegative(_ value: ScannedValue) -> Bool { text[value.range.lowerBound] == UInt8(ascii: "-") }

  /// The number as a finite `Double`, if this is one.
  package func double(_ value: ScannedValue) -> Double? {
    // Up to so many digits nothing overflows, and a `Double` has them all.
    guard value.range.count <= 15 else { return built(value).double }
    var whole: Int64 = 0
    for byte in text[value.range] {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return built(value).double }
      whole = whole * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    return Double(whole)
  }

  /// The value itself.
  package func built(_ value: ScannedValue) -> JSONValue {
    var builder = JSONBuilder(text, at: value.range.lowerBound)
    return builder.value()
  }

  private func inside(_ value: ScannedValue) -> Range<Int> { value.range.lowerBound + 1..<value.range.upperBound - 1 }

  private func isEscaped(_ inside: Range<Int>) -> Bool {
    text.span.extracting(inside).firstIndex(of: UInt8(ascii: "\\")) != nil
  }
}
