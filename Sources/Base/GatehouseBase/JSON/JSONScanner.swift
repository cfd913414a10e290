/// Validates a JSON text in one pass, without building values.
///
/// Values are built later, from text that is known to be valid. The scanner records the offsets of the outermost
/// object's members. Each function skips one element that starts at an offset and returns the offset after it. The text
/// is an argument, because a span cannot be stored in a property.
struct JSONScanner {
  private let limits: JSONLimits
  /// The members of the outermost object, if the text is one; during the scan also the names of open inner objects.
  private(set) var members: [JSONMember] = []
  /// The union of the name bits of the outermost object's members.
  private(set) var bits: UInt64 = 0
  /// Whether the text is an object.
  private(set) var isObject = false

  /// The maximum length of a text for any limits, in bytes.
  static let longest = Int(UInt32.max)

  init(limits: JSONLimits) { self.limits = limits }

  /// Validates a text; throws the errors of `JSONValue.init(parsing:limits:)`.
  mutating func scan(_ bytes: Span<UInt8>) throws(AuthError) {
    do throws(JSONFault) { try text(bytes) } catch { throw error.error(limits) }
  }

  /// Like `scan`, but throws the fault itself.
  mutating func text(_ bytes: Span<UInt8>) throws(JSONFault) {
    guard bytes.count <= min(limits.bytes, Self.longest) else { throw JSONFault(.textTooLong, 0) }
    Steps.add(bytes.count)
    let start = Self.space(bytes, 0)
    isObject = Self.next(bytes, start) == UInt8(ascii: "{")
    let end = try isObject ? object(bytes, start, depth: 1, isOutermost: true) : value(bytes, start, depth: 0)
    let rest = Self.space(bytes, end)
    guard rest == bytes.count else { throw JSONFault(.trailingBytes, rest) }
  }

  @inline(__always)
  private mutating func value(_ bytes: Span<UInt8>, _ offset: Int, depth: Int) throws(JSONFault) -> Int {
    switch Self.next(bytes, offset) {
    case UInt8(ascii: "\""): try Self.string(bytes, offset).end
    case UInt8(ascii: "{"): try object(bytes, offset, depth: depth + 1)
    case UInt8(ascii: "["): try array(bytes, offset, depth: depth + 1)
    case UInt8(ascii: "t"): try Self.word(0x6575_7274, 4, bytes, offset)
    case UInt8(ascii: "f"): try Self.word(0x65_736C_6166, 5, bytes, offset)
    case UInt8(ascii: "n"): try Self.word(0x6C6C_756E, 4, bytes, offset)
    default: try Self.number(bytes, offset)
    }
  }

  /// Skips an object. Records the members of the outermost one.
  private mutating func object(
    _ bytes: Span<UInt8>, _ start: Int, depth: Int, isOutermost: Bool = false
  ) throws(JSONFault) -> Int {
    var offset = Self.space(bytes, try enter(start, depth))
    if Self.next(bytes, offset) == UInt8(ascii: "}") { return offset + 1 }
    if isOutermost { members.reserveCapacity(16) }
    let first = members.count
    var bits: UInt64 = 0
    while true {
      guard Self.next(bytes, offset) == UInt8(ascii: "\"") else {
        throw JSONFault(.missingName, offset)
      }
      let (end, key, isEscaped): (Int, MemberKey, Bool)
      // Nearly all names are short and plain.
      if let plain = MemberKey(plainNameAt: offset &+ 1, of: bytes) {
        (end, key, isEscaped) = (offset &+ plain.length &+ 2, plain, false)
      } else {
        (end, key, isEscaped) = try Self.name(bytes, offset)
      }
      let name = offset + 1..<end - 1
      if bits & key.bit != 0 {
        try refuseRepetition(of: JSONMember(key: key, name: name, isEscaped: isEscaped), since: first, in: bytes)
      }
      bits |= key.bit
      guard key.length <= limits.nameBytes, members.count - first < limits.members else {
        throw JSONFault(.tooWide, offset)
      }
      let begin = try Self.colon(bytes, end)
      let behind = try value(bytes, begin, depth: depth)
      members.append(JSONMember(key: key, name: name, isEscaped: isEscaped, value: begin..<behind))
      offset = Self.space(bytes, behind)
      if Self.next(bytes, offset) == UInt8(ascii: "}") { break }
      offset = try Self.comma(bytes, offset, .endlessObject)
    }
    if isOutermost { self.bits = bits } else { for _ in first..<members.count { members.removeLast() } }
    return offset + 1
  }

  private mutating func array(_ bytes: Span<UInt8>, _ start: Int, depth: Int) throws(JSONFault) -> Int {
    var offset = Self.space(bytes, try enter(start, depth))
    if Self.next(bytes, offset) == UInt8(ascii: "]") { return offset + 1 }
    while true {
      offset = Self.space(bytes, try value(bytes, offset, depth: depth))
      if Self.next(bytes, offset) == UInt8(ascii: "]") { return offset + 1 }
      offset = try Self.comma(bytes, offset, .endlessArray)
    }
  }

  /// Skips the opening bracket if the limits allow one more level.
  private func enter(_ offset: Int, _ depth: Int) throws(JSONFault) -> Int {
    guard depth <= min(limits.depth, JSONLimits.deepest) else { throw JSONFault(.tooDeep, offset) }
    return offset + 1
  }

  private func refuseRepetition(
    of member: JSONMember, since first: Int, in bytes: Span<UInt8>
  ) throws(JSONFault) {
    Steps.add(members.count - first)
    for other in first..<members.count where members[other].hasSameName(as: member, in: bytes) {
      throw JSONFault(.repeatedName, member.name.lowerBound - 1)
    }
  }

  /// Skips a name and computes its key.
  private static func name(
    _ bytes: Span<UInt8>, _ offset: Int
  ) throws(JSONFault) -> (end: Int, key: MemberKey, isEscaped: Bool) {
    let (end, isEscaped) = try string(bytes, offset)
    let name = offset + 1..<end - 1
    guard isEscaped else { return (end, MemberKey(name, of: bytes), false) }
    let unescaped = JSONEscape.unescaped(bytes.extracting(name))
    return (end, MemberKey(unescaped.span), true)
  }
}

// MARK: Strings

extension JSONScanner {
  @inline(__always)
  private static func string(_ bytes: Span<UInt8>, _ offset: Int) throws(JSONFault) -> (end: Int, isEscaped: Bool) {
    // Nearly all strings are plain to their end.
    let end = bytes.endOfPlainText(from: offset &+ 1)
    guard next(bytes, end) == UInt8(ascii: "\"") else { return try restOfString(bytes, end) }
    return (end &+ 1, false)
  }

  private static func restOfString(_ bytes: Span<UInt8>, _ start: Int) throws(JSONFault) -> (end: Int, isEscaped: Bool)
  {
    var offset = start
    var isEscaped = false
    var marks = CombiningMarks()
    while true {
      let first = offset
      switch next(bytes, offset) {
      case UInt8(ascii: "\"")?: return (offset + 1, isEscaped)
      case UInt8(ascii: "\\")?:
        isEscaped = true
        offset = try escape(bytes, offset + 1)
        guard marks.admit(JSONEscape.character(in: bytes, at: first).0) else {
          throw JSONFault(.tooManyMarks, first)
        }
      case let byte? where byte >= 0x80:
        offset = try sequence(bytes, offset, byte)
        guard marks.admit(character(bytes.extracting(first..<offset))) else {
          throw JSONFault(.tooManyMarks, first)
        }
      case nil: throw JSONFault(.endlessString, offset)
      default: throw JSONFault(.controlCharacter, offset)
      }
      let end = bytes.endOfPlainText(from: offset)
      if end > offset { marks.end() }
      offset = end
    }
  }

  /// Skips one character of two to four bytes in its only valid encoding (Unicode, table 3-7).
  private static func sequence(_ bytes: Span<UInt8>, _ offset: Int, _ first: UInt8) throws(JSONFault) -> Int {
    let (rest, second): (Int, ClosedRange<UInt8>) =
      switch first {
      case 0xC2...0xDF: (1, 0x80...0xBF)
      case 0xE0: (2, 0xA0...0xBF)
      case 0xED: (2, 0x80...0x9F)
      case 0xE1...0xEF: (2, 0x80...0xBF)
      case 0xF0: (3, 0x90...0xBF)
      case 0xF1...0xF3: (3, 0x80...0xBF)
      case 0xF4: (3, 0x80...0x8F)
      default: (0, 0...0)
      }
    guard rest > 0, offset + rest < bytes.count, second.contains(bytes[offset + 1]),
      rest < 2 || bytes[offset + 2] & 0xC0 == 0x80, rest < 3 || bytes[offset + 3] & 0xC0 == 0x80
    else { throw JSONFault(.notUTF8, offset) }
    return offset + rest + 1
  }

  /// The character of a sequence that is valid.
  private static func character(_ sequence: Span<UInt8>) -> Unicode.Scalar {
    // The first byte has as many high bits as there are bytes, and a zero after them.
    var value = UInt32(sequence[0]) & (0x7F >> UInt32(sequence.count))
    for index in 1..<sequence.count { value = value << 6 | UInt32(sequence[index] & 0x3F) }
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  /// Skips an escape, after its backslash.
  private static func escape(_ bytes: Span<UInt8>, _ offset: Int) throws(JSONFault) -> Int {
    switch next(bytes, offset) {
    case UInt8(ascii: "u"): return try surrogates(bytes, offset + 1)
    case let letter?:
      guard JSONEscape.byte(for: letter) != nil else { throw JSONFault(.unknownEscape, offset) }
      return offset + 1
    case nil: throw JSONFault(.endlessString, offset)
    }
  }

  /// Skips four digits, and the second half if they are the first half of a surrogate pair.
  private static func surrogates(_ bytes: Span<UInt8>, _ offset: Int) throws(JSONFault) -> Int {
    guard let first = JSONEscape.unit(in: bytes, at: offset) else { throw JSONFault(.badDigits, offset) }
    guard JSONEscape.surrogates.contains(first) else { return offset + 4 }
    guard JSONEscape.highSurrogates.contains(first), next(bytes, offset + 4) == UInt8(ascii: "\\"),
      next(bytes, offset + 5) == UInt8(ascii: "u")
    else { throw JSONFault(.halfPair, offset) }
    guard let second = JSONEscape.unit(in: bytes, at: offset + 6) else { throw JSONFault(.badDigits, offset + 6) }
    guard JSONEscape.lowSurrogates.contains(second) else { throw JSONFault(.halfPair, offset) }
    return offset + 10
  }

}

// MARK: Words and numbers

extension JSONScanner {
  /// Skips `true`, `false` or `null`, given as a little-endian number and its length in bytes.
  private static func word(_ word: UInt64, _ count: Int, _ bytes: Span<UInt8>, _ offset: Int) throws(JSONFault) -> Int {
    guard bytes.word(at: offset, count: count) == word else { throw JSONFault(.noValue, offset) }
    return offset + count
  }

  private static func number(_ bytes: Span<UInt8>, _ start: Int) throws(JSONFault) -> Int {
    var offset = start
    if next(bytes, offset) == UInt8(ascii: "-") { offset += 1 }
    if next(bytes, offset) == UInt8(ascii: "0") {
      offset += 1
    } else {
      offset = try digits(bytes, offset, .noValue)
    }
    if next(bytes, offset) == UInt8(ascii: ".") { offset = try digits(bytes, offset + 1, .emptyFraction) }
    guard let letter = next(bytes, offset), letter | 0x20 == UInt8(ascii: "e") else {
      // So few digits never exceed the range of a `Double`, and nearly all numbers have fewer.
      if offset - start > 300 { try refuseInfinity(bytes, start..<offset) }
      return offset
    }
    offset += 1
    if let sign = next(bytes, offset), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { offset += 1 }
    offset = try digits(bytes, offset, .emptyExponent)
    try refuseInfinity(bytes, start..<offset)
    return offset
  }

  /// Skips one or more digits.
  @inline(__always)
  private static func digits(_ bytes: Span<UInt8>, _ start: Int, _ what: JSONFault.Reason) throws(JSONFault) -> Int {
    var offset = start
    if bytes.eightDigits(at: offset) != nil { offset &+= 8 }
    while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") <= 9 { offset += 1 }
    guard offset > start else { throw JSONFault(what, offset) }
    return offset
  }

  private static func refuseInfinity(_ bytes: Span<UInt8>, _ number: Range<Int>) throws(JSONFault) {
    guard let double = Double(String(copying: bytes.extracting(number))), double.isFinite else {
      throw JSONFault(.infiniteNumber, number.lowerBound)
    }
  }
}

// MARK: Bytes

extension JSONScanner {
  @inline(__always)
  private static func next(_ bytes: Span<UInt8>, _ offset: Int) -> UInt8? {
    offset < bytes.count ? bytes[offset] : nil
  }

  /// Skips white space.
  @inline(__always)
  private static func space(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var offset = start
    while let byte = next(bytes, offset), byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset &+= 1
    }
    return offset
  }

  /// Skips a colon and the white space around it.
  @inline(__always)
  private static func colon(_ bytes: Span<UInt8>, _ offset: Int) throws(JSONFault) -> Int {
    let offset = space(bytes, offset)
    guard next(bytes, offset) == UInt8(ascii: ":") else { throw JSONFault(.missingColon, offset) }
    return space(bytes, offset + 1)
  }

  /// Skips a comma and the white space after it.
  @inline(__always)
  private static func comma(_ bytes: Span<UInt8>, _ offset: Int, _ what: JSONFault.Reason) throws(JSONFault) -> Int {
    guard next(bytes, offset) == UInt8(ascii: ",") else { throw JSONFault(what, offset) }
    return space(bytes, offset + 1)
  }
}
