/// A JSON object of a file that people edit. Each member has its line and column, for error messages.
package struct PlacedObject: Sendable {
  /// One member.
  package struct Member: Sendable {
    package let name: String
    /// The position of the name's start.
    package let place: TextPlace
    package let value: Value
  }

  /// A member's value.
  package enum Value: Sendable {
    case object(PlacedObject)
    /// Any value but an object.
    case plain(JSONValue)
  }

  /// The members in order.
  package let members: [Member]

  /// Parses one JSON object, as strictly as `JSONValue.init(parsing:limits:)`. Errors contain the line and column.
  package init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(AuthError) {
    var scanner = JSONScanner(limits: limits)
    do throws(JSONFault) { try scanner.text(bytes.span) } catch {
      throw error.error(limits, at: TextPlace(of: error.offset, in: bytes).description)
    }
    guard scanner.isObject else { throw AuthError(.jsonMalformed, "expected a JSON object") }
    var cursor = TextCursor()
    try self.init(members: scanner.members, at: 0, of: bytes, limits, &cursor)
  }

  /// - Parameters:
  ///   - base: the offset in the text to which the members' ranges are relative.
  ///   - cursor: a position before the members. It moves through the text once, whatever the number of members.
  private init(
    members: [JSONMember], at base: Int, of text: [UInt8], _ limits: JSONLimits, _ cursor: inout TextCursor
  ) throws(AuthError) {
    var placed: [Member] = []
    for member in members {
      let name = member.name.lowerBound + base..<member.name.upperBound + base
      let value = member.value.lowerBound + base..<member.value.upperBound + base
      let unescaped = text.span.extracting(name)
      placed.append(
        Member(
          name: String(
            decoding: member.isEscaped ? JSONEscape.unescaped(unescaped) : Array(text[name]), as: UTF8.self),
          place: cursor.place(of: name.lowerBound - 1, in: text),
          value: try Self.value(value, of: text, limits, &cursor)))
    }
    self.members = placed
  }

  private static func value(
    _ range: Range<Int>, of text: [UInt8], _ limits: JSONLimits, _ cursor: inout TextCursor
  ) throws(AuthError) -> Value {
    guard text[range.lowerBound] == UInt8(ascii: "{") else {
      var builder = JSONBuilder(text, at: range.lowerBound)
      return .plain(builder.value())
    }
    // Each level is scanned again, since a scanner keeps only the members of the outermost object. There are few
    // levels.
    var scanner = JSONScanner(limits: limits)
    try scanner.scan(text.span.extracting(range))
    return .object(try PlacedObject(members: scanner.members, at: range.lowerBound, of: text, limits, &cursor))
  }
}

/// A position in a text as editors show it: lines and columns are counted from 1.
package struct TextPlace: Sendable, Hashable, CustomStringConvertible {
  package let line: Int
  /// The column, in Unicode scalars.
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The position of a byte in a UTF-8 text; the text's end if the offset is beyond it.
  package init(of offset: Int, in text: [UInt8]) {
    var cursor = TextCursor()
    self = cursor.place(of: offset, in: text)
  }

  /// `line 3, column 5`.
  package var description: String { "line \(line), column \(column)" }
}

/// Moves through a UTF-8 text, and counts its lines and columns.
private struct TextCursor {
  private var offset = 0
  private var line = 1
  private var column = 1

  /// Returns the position of a byte; the text's end if the offset is beyond it.
  ///
  /// - Parameter target: the offset of the byte, not before that of an earlier call.
  mutating func place(of target: Int, in text: [UInt8]) -> TextPlace {
    let end = min(target, text.count)
    while offset < end {
      let byte = text[offset]
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {  // bytes of the form 10xxxxxx continue a scalar
        column += 1
      }
      offset += 1
    }
    return TextPlace(line: line, column: column)
  }
}
