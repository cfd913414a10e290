/// Holds a JSON text to every rule in one pass, and builds nothing.
///
/// Values are built later, from text that is known to be valid. On the way it notes where the members of the
/// outermost object are. Each function steps over one thing that begins at a place, and answers the place behind it;
/// the text goes along as an argument, because what holds a span cannot be kept in a property.
struct JSONScanner {
  private let limits: JSONLimits
  /// The members of the outermost object, if the text is one; on the way also the names in inner ones that are open.
  private(set) var members: [JSONMember] = []
  /// The bits of the outermost members' names.
  private(set) var bits: UInt64 = 0
  /// Whether the text is an object.
  private(set) var isObject = false

  /// No limit allows more bytes than this, whatever it says.
  static let longest = Int(UInt32.max)

  init(limits: JSONLimits) { self.limits = limits }

  /// Throws what `JSONValue.init(parsing:limits:)` says.
  mutating func scan(_ bytes: Span<UInt8>) throws(AuthError) {
    do throws(JSONFault) { try text(bytes) } catch { throw error.error(limits) }
  }

  private mutating func text(_ bytes: Span<UInt8>) throws(JSONFault) {
    guard bytes.count <= min(limits.bytes, Self.longest) else { throw JSONFault(.textTooLong, 0) }
    let start = Self.space(bytes, 0)
    isObject = Self.next(bytes, start) == UInt8(ascii: "{")
    let end = try isObject ? object(bytes, start, depth: 1, isOutermost: true) : value(bytes, start, depth: 0)
    let rest = Self.space(bytes, end)
    guard rest == bytes.count else { throw JSONFault(.trailingBytes, rest) }
  }

  @inline(__always)
  private mutating func value(_ bytes: Span<UInt8>, _ place: Int, depth: Int) throws(JSONFault) -> Int {
    switch Self.next(bytes, place) {
    case UInt8(ascii: "\""): try Self.string(bytes, place).end
    case UInt8(ascii: "{"): try object(bytes, place, depth: depth + 1)
    case UInt8(ascii: "["): try array(bytes, place, depth: depth + 1)
    case UInt8(ascii: "t"): try Self.word(0x6575_7274, 4, bytes, place)
    case UInt8(ascii: "f"): try Self.word(0x65_736C_6166, 5, bytes, place)
    case UInt8(ascii: "n"): try Self.word(0x6C6C_756E, 4, bytes, place)
    default: try Self.number(bytes, place)
    }
  }

  /// Of the outermost object the members stay.
  private mutating func object(
    _ bytes: Span<UInt8>, _ start: Int, depth: Int, isOutermost: Bool = false
  ) throws(JSONFault) -> Int {
    var place = Self.space(bytes, try enter(start, depth))
    if Self.next(bytes, place) == UInt8(ascii: "}") { return place + 1 }
    if isOutermost { members.reserveCapacity(16) }
    let first = members.count
    var bits: UInt64 = 0
    while true {
      guard Self.next(bytes, place) == UInt8(ascii: "\"") else {
        throw JSONFault(.missingName, place)
      }
      let (end, key, isEscaped): (Int, MemberKey, Bool)
      // Nearly all names are short and plain.
      if let plain = MemberKey(plainNameAt: place &+ 1, of: bytes) {
        (end, key, isEscaped) = (place &+ plain.length &+ 2, plain, false)
      } else {
        (end, key, isEscaped) = try Self.name(bytes, place)
      }
      let name = place + 1..<end - 1
      if bits & key.bit != 0 {
        try refuseRepetition(of: JSONMember(key: key, name: name, isEscaped: isEscaped), since: first, in: bytes)
      }
      bits |= key.bit
      guard key.length <= limits.nameBytes, members.count - first < limits.members else {
        throw JSONFault(.tooWide, place)
      }
      let begin = try Self.colon(bytes, end)
      let behind = try value(bytes, begin, depth: depth)
      members.append(JSONMember(key: key, name: name, isEscaped: isEscaped, value: begin..<behind))
      place = Self.space(bytes, behind)
      if Self.next(bytes, place) == UInt8(ascii: "}") { break }
      place = try Self.comma(bytes, place, .endlessObject)
    }
    if isOutermost { self.bits = bits } else { for _ in first..<members.count { members.removeLast() } }
    return place + 1
  }

  private mutating func array(_ bytes: Span<UInt8>, _ start: Int, depth: Int) throws(JSONFault) -> Int {
    var place = Self.space(bytes, try enter(start, depth))
    if Self.next(bytes, place) == UInt8(ascii: "]") { return place + 1 }
    while true {
      place = Self.space(bytes, try value(bytes, place, depth: depth))
      if Self.next(bytes, place) == UInt8(ascii: "]") { return place + 1 }
      place = try Self.comma(bytes, place, .endlessArray)
    }
  }

  /// Steps over the bracket, if the limits allow what it opens.
  private func enter(_ place: Int, _ depth: Int) throws(JSONFault) -> Int {
    guard depth <= min(limits.depth, JSONLimits.deepest) else { throw JSONFault(.tooDeep, place) }
    return place + 1
  }

  private func refuseRepetition(
    of member: JSONMember, since first: Int, in bytes: Span<UInt8>
  ) throws(JSONFault) {
    for other in first..<members.count where members[other].hasSameName(as: member, in: bytes) {
      throw JSONFault(.repeatedName, member.name.lowerBound - 1)
    }
  }

  /// Steps over a name, and makes its key.
  private static func name(
    _ bytes: Span<UInt8>, _ place: Int
  ) throws(JSONFault) -> (end: Int, key: MemberKey, isEscaped: Bool) {
    let (end, isEscaped) = try string(bytes, place)
    let name = place + 1..<end - 1
    guard isEscaped else { return (end, MemberKey(name, of: bytes), false) }
    let unescaped = JSONEscape.unescaped(bytes.extracting(name))
    return (end, MemberKey(unescaped.span), true)
  }
}

// MARK: Strings

extension JSONScanner {
  @inline(__always)
  private static func string(_ bytes: Span<UInt8>, _ place: Int) throws(JSONFault) -> (end: Int, isEscaped: Bool) {
    // Nearly all strings are plain to their end.
    let end = bytes.endOfPlainText(from: place &+ 1)
    guard next(bytes, end) == UInt8(ascii: "\"") else { return try restOfString(bytes, end) }
    return (end &+ 1, false)
  }

  private static func restOfString(_ bytes: Span<UInt8>, _ start: Int) throws(JSONFault) -> (end: Int, isEscaped: Bool)
  {
    var place = start
    var isEscaped = false
    while true {
      switch next(bytes, place) {
      case UInt8(ascii: "\"")?: return (place + 1, isEscaped)
      case UInt8(ascii: "\\")?:
        isEscaped = true
        place = try escape(bytes, place + 1)
      case let byte? where byte >= 0x80: place = try sequence(bytes, place, byte)
      case nil: throw JSONFault(.endlessString, place)
      default: throw JSONFault(.controlCharacter, place)
      }
      place = bytes.endOfPlainText(from: place)
    }
  }

  /// Steps over one character of two to four bytes, in its one valid spelling (Unicode, table 3-7).
  private static func sequence(_ bytes: Span<UInt8>, _ place: Int, _ first: UInt8) throws(JSONFault) -> Int {
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
    guard rest > 0, place + rest < bytes.count, second.contains(bytes[place + 1]),
      rest < 2 || bytes[place + 2] & 0xC0 == 0x80, rest < 3 || bytes[place + 3] & 0xC0 == 0x80
    else { throw JSONFault(.notUTF8, place) }
    return place + rest + 1
  }

  /// Steps over what follows a backslash.
  private static func escape(_ bytes: Span<UInt8>, _ place: Int) throws(JSONFault) -> Int {
    switch next(bytes, place) {
    case UInt8(ascii: "u"): return try surrogates(bytes, place + 1)
    case let letter?:
      guard JSONEscape.byte(for: letter) != nil else { throw JSONFault(.unknownEscape, place) }
      return place + 1
    case nil: throw JSONFault(.endlessString, place)
    }
  }

  /// Steps over four digits, and over the second half of a pair.
  private static func surrogates(_ bytes: Span<UInt8>, _ place: Int) throws(JSONFault) -> Int {
    guard let first = JSONEscape.unit(in: bytes, at: place) else { throw JSONFault(.badDigits, place) }
    guard JSONEscape.surrogates.contains(first) else { return place + 4 }
    guard JSONEscape.highSurrogates.contains(first), next(bytes, place + 4) == UInt8(ascii: "\\"),
      next(bytes, place + 5) == UInt8(ascii: "u")
    else { throw JSONFault(.halfPair, place) }
    guard let second = JSONEscape.unit(in: bytes, at: place + 6) else { throw JSONFault(.badDigits, place + 6) }
    guard JSONEscape.lowSurrogates.contains(second) else { throw JSONFault(.halfPair, place) }
    return place + 10
  }

}

// MARK: Words and numbers

extension JSONScanner {
  /// Steps over `true`, `false` or `null`, whose bytes are those of a number, the first one lowest.
  private static func word(_ word: UInt64, _ count: Int, _ bytes: Span<UInt8>, _ place: Int) throws(JSONFault) -> Int {
    guard bytes.word(at: place, count: count) == word else { throw JSONFault(.noValue, place) }
    return place + count
  }

  private static func number(_ bytes: Span<UInt8>, _ start: Int) throws(JSONFault) -> Int {
    var place = start
    if next(bytes, place) == UInt8(ascii: "-") { place += 1 }
    if next(bytes, place) == UInt8(ascii: "0") {
      place += 1
    } else {
      place = try digits(bytes, place, .noValue)
    }
    if next(bytes, place) == UInt8(ascii: ".") { place = try digits(bytes, place + 1, .emptyFraction) }
    guard let letter = next(bytes, place), letter | 0x20 == UInt8(ascii: "e") else {
      // So few digits never go beyond a `Double`, and nearly all numbers have fewer.
      if place - start > 300 { try refuseInfinity(bytes, start..<place) }
      return place
    }
    place += 1
    if let sign = next(bytes, place), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { place += 1 }
    place = try digits(bytes, place, .emptyExponent)
    try refuseInfinity(bytes, start..<place)
    return place
  }

  /// Steps over one digit and all that follow.
  @inline(__always)
  private static func digits(_ bytes: Span<UInt8>, _ start: Int, _ what: JSONFault.Reason) throws(JSONFault) -> Int {
    var place = start
    if bytes.eightDigits(at: place) != nil { place &+= 8 }
    while place < bytes.count, bytes[place] &- UInt8(ascii: "0") <= 9 { place += 1 }
    guard place > start else { throw JSONFault(what, place) }
    return place
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
  private static func next(_ bytes: Span<UInt8>, _ place: Int) -> UInt8? {
    place < bytes.count ? bytes[place] : nil
  }

  /// Steps over space.
  @inline(__always)
  private static func space(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var place = start
    while let byte = next(bytes, place), byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      place &+= 1
    }
    return place
  }

  /// Steps over a colon and the space on both sides of it.
  @inline(__always)
  private static func colon(_ bytes: Span<UInt8>, _ place: Int) throws(JSONFault) -> Int {
    let place = space(bytes, place)
    guard next(bytes, place) == UInt8(ascii: ":") else { throw JSONFault(.missingColon, place) }
    return space(bytes, place + 1)
  }

  /// Steps over a comma and the space behind it.
  @inline(__always)
  private static func comma(_ bytes: Span<UInt8>, _ place: Int, _ what: JSONFault.Reason) throws(JSONFault) -> Int {
    guard next(bytes, place) == UInt8(ascii: ",") else { throw JSONFault(what, place) }
    return space(bytes, place + 1)
  }
}
