/// Holds a JSON text to every rule in one pass, and builds nothing.
///
/// Whoever builds values afterwards reads a text that is known to be good. On the way it notes where the members of
/// the outermost object are.
struct JSONScanner {
  private let bytes: [UInt8]
  private let limits: JSONLimits
  private var position = 0
  /// The names of all objects that are open, and in the end the members of the outermost one.
  private(set) var members: [JSONMember] = []

  init(_ bytes: [UInt8], limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// Throws what `JSONValue.init(parsing:limits:)` says.
  mutating func scan() throws(AuthError) {
    guard bytes.count <= limits.bytes else { throw tooLarge("is longer than \(limits.bytes) bytes") }
    members.reserveCapacity(16)
    skipSpace()
    if next == UInt8(ascii: "{") { try object(depth: 1, outermost: true) } else { try value(depth: 0) }
    skipSpace()
    guard position == bytes.count else { throw malformed("something follows the value") }
  }

  private mutating func value(depth: Int) throws(AuthError) {
    switch next {
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "{"): try object(depth: depth + 1)
    case UInt8(ascii: "["): try array(depth: depth + 1)
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
  }

  private mutating func object(depth: Int, outermost: Bool = false) throws(AuthError) {
    try enter(depth)
    let first = members.count
    if take(UInt8(ascii: "}")) { return }
    repeat {
      let place = members.count
      members.append(try name(after: first))
      guard take(UInt8(ascii: ":")) else { throw malformed("a colon is missing") }
      let start = position
      try value(depth: depth)
      members[place].value = start..<position
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw malformed("an object does not end") }
    if !outermost { members.removeSubrange(first...) }
  }

  /// Reads a member's name, which no member since `first` may have.
  private mutating func name(after first: Int) throws(AuthError) -> JSONMember {
    skipSpace()
    guard next == UInt8(ascii: "\"") else { throw malformed("a member's name is missing") }
    let start = position + 1
    let isEscaped = try string()
    let member = JSONMember(name: start..<position - 1, isEscaped: isEscaped)
    guard member.nameLength(in: bytes) <= limits.nameBytes else { throw tooLarge("has a name that is too long") }
    guard !members[first...].contains(where: { $0.hasSameName(as: member, in: bytes) }) else {
      throw AuthError(.jsonDuplicateMember, "the JSON names one member twice, before byte \(position)")
    }
    guard members.count - first < limits.members else { throw tooLarge("has an object with too many members") }
    return member
  }

  private mutating func array(depth: Int) throws(AuthError) {
    try enter(depth)
    if take(UInt8(ascii: "]")) { return }
    repeat {
      skipSpace()
      try value(depth: depth)
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw malformed("an array does not end") }
  }

  /// Steps over the bracket, if the limits allow what it opens.
  private mutating func enter(_ depth: Int) throws(AuthError) {
    guard depth <= min(limits.depth, JSONLimits.deepest) else { throw tooLarge("nests too deep") }
    position += 1
  }

  private mutating func word(_ word: StaticString) throws(AuthError) {
    let text = word.description.utf8
    guard bytes[position...].starts(with: text) else { throw malformed("this is no value") }
    position += text.count
  }
}

// MARK: Strings

extension JSONScanner {
  /// Steps over a string, and says whether it has escapes.
  private mutating func string() throws(AuthError) -> Bool {
    position += 1
    var isEscaped = false
    while position < bytes.count {
      let byte = bytes[position]
      if byte >= 0x80 {
        try sequence()
      } else if byte == UInt8(ascii: "\"") {
        position += 1
        return isEscaped
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
        try escape()
      } else {
        guard byte >= 0x20 else { throw malformed("a string holds a control character") }
        position += 1
      }
    }
    throw malformed("a string does not end")
  }

  /// Steps over one character of two to four bytes, in its one valid spelling (Unicode, table 3-7).
  private mutating func sequence() throws(AuthError) {
    let (rest, second): (Int, ClosedRange<UInt8>) =
      switch bytes[position] {
      case 0xC2...0xDF: (1, 0x80...0xBF)
      case 0xE0: (2, 0xA0...0xBF)
      case 0xED: (2, 0x80...0x9F)
      case 0xE1...0xEF: (2, 0x80...0xBF)
      case 0xF0: (3, 0x90...0xBF)
      case 0xF1...0xF3: (3, 0x80...0xBF)
      case 0xF4: (3, 0x80...0x8F)
      default: (0, 0...0)
      }
    guard rest > 0, position + rest < bytes.count, second.contains(bytes[position + 1]),
      bytes[position + 2..<position + rest + 1].allSatisfy({ (0x80...0xBF).contains($0) })
    else { throw malformed("a string is not UTF-8") }
    position += rest + 1
  }

  private mutating func escape() throws(AuthError) {
    position += 1
    switch next {
    case UInt8(ascii: "u"): try surrogates()
    case let letter?:
      guard JSONEscape.byte(for: letter) != nil else { throw malformed("an escape is unknown") }
      position += 1
    case nil: throw malformed("a string does not end")
    }
  }

  /// Steps over `u` and its digits, and over the second half of a pair.
  private mutating func surrogates() throws(AuthError) {
    position += 1
    guard let first = JSONEscape.unit(in: bytes, at: position) else { throw badDigits }
    position += 4
    guard JSONEscape.surrogates.contains(first) else { return }
    guard JSONEscape.highSurrogates.contains(first), next == UInt8(ascii: "\\"), position + 1 < bytes.count,
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw malformed("half a surrogate pair") }
    guard let second = JSONEscape.unit(in: bytes, at: position + 2) else { throw badDigits }
    guard JSONEscape.lowSurrogates.contains(second) else { throw malformed("half a surrogate pair") }
    position += 6
  }

  private var badDigits: AuthError { malformed("an escape wants four hexadecimal digits") }
}

// MARK: Numbers

extension JSONScanner {
  private mutating func number() throws(AuthError) {
    let start = position
    takeRaw(UInt8(ascii: "-"))
    if !takeRaw(UInt8(ascii: "0")), !takeDigits() { throw malformed("this is no value") }
    if takeRaw(UInt8(ascii: ".")), !takeDigits() { throw malformed("a number ends in its point") }
    var hasExponent = false
    if takeRaw(UInt8(ascii: "e")) || takeRaw(UInt8(ascii: "E")) {
      hasExponent = true
      _ = takeRaw(UInt8(ascii: "+")) || takeRaw(UInt8(ascii: "-"))
      guard takeDigits() else { throw malformed("a number ends in its exponent") }
    }
    // So few digits never go beyond a `Double`, and nearly all numbers have fewer.
    guard hasExponent || position - start > 300 else { return }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let double = Double(text), double.isFinite else { throw malformed("a number is too large") }
  }

  private mutating func takeDigits() -> Bool {
    let start = position
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    return position > start
  }
}

// MARK: Bytes

extension JSONScanner {
  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Takes one structural character and the space on both sides of it.
  private mutating func take(_ character: UInt8) -> Bool {
    skipSpace()
    guard takeRaw(character) else { return false }
    skipSpace()
    return true
  }

  @discardableResult
  private mutating func takeRaw(_ character: UInt8) -> Bool {
    guard next == character else { return false }
    position += 1
    return true
  }

  private func malformed(_ what: String) -> AuthError {
    AuthError(.jsonMalformed, "not strict JSON at byte \(position): \(what)")
  }

  private func tooLarge(_ what: String) -> AuthError { AuthError(.jsonTooLarge, "the JSON \(what)") }
}
