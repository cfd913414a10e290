/// Holds a JSON text to every rule in one pass, and builds nothing.
///
/// Whoever builds values afterwards reads a text that is known to be good. On the way it notes where the members of
/// the outermost object are.
///
/// The text goes along as an argument, because what holds a span cannot be kept in a property.
struct JSONScanner {
  private let limits: JSONLimits
  private var position = 0
  /// The members of the outermost object, if the text is one.
  private(set) var members: [JSONMember] = []
  /// The names in all inner objects that are open.
  private var names: [JSONMember] = []

  init(limits: JSONLimits) { self.limits = limits }

  /// Throws what `JSONValue.init(parsing:limits:)` says.
  mutating func scan(_ bytes: Span<UInt8>) throws(AuthError) {
    guard bytes.count <= limits.bytes else { throw tooLarge("is longer than \(limits.bytes) bytes") }
    skipSpace(bytes)
    if next(bytes) == UInt8(ascii: "{") { try outermostObject(bytes) } else { try value(bytes, depth: 0) }
    skipSpace(bytes)
    guard position == bytes.count else { throw malformed("something follows the value") }
  }

  private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(AuthError) {
    switch next(bytes) {
    case UInt8(ascii: "\""): _ = try string(bytes)
    case UInt8(ascii: "{"): try object(bytes, depth: depth + 1)
    case UInt8(ascii: "["): try array(bytes, depth: depth + 1)
    case UInt8(ascii: "t"): try word(bytes, "true")
    case UInt8(ascii: "f"): try word(bytes, "false")
    case UInt8(ascii: "n"): try word(bytes, "null")
    default: try number(bytes)
    }
  }

  private mutating func outermostObject(_ bytes: Span<UInt8>) throws(AuthError) {
    try enter(1)
    if take(bytes, UInt8(ascii: "}")) { return }
    members.reserveCapacity(16)
    repeat {
      var member = try name(bytes)
      for place in 0..<members.count where members[place].hasSameName(as: member, in: bytes) { throw repeated }
      guard members.count < limits.members else { throw tooWide }
      let start = try colon(bytes)
      try value(bytes, depth: 1)
      member.value = start..<position
      members.append(member)
    } while take(bytes, UInt8(ascii: ","))
    guard take(bytes, UInt8(ascii: "}")) else { throw malformed("an object does not end") }
  }

  private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(AuthError) {
    try enter(depth)
    if take(bytes, UInt8(ascii: "}")) { return }
    let first = names.count
    repeat {
      let name = try name(bytes)
      for place in first..<names.count where names[place].hasSameName(as: name, in: bytes) { throw repeated }
      guard names.count - first < limits.members else { throw tooWide }
      names.append(name)
      _ = try colon(bytes)
      try value(bytes, depth: depth)
    } while take(bytes, UInt8(ascii: ","))
    guard take(bytes, UInt8(ascii: "}")) else { throw malformed("an object does not end") }
    names.removeLast(names.count - first)
  }

  /// Reads a member's name.
  private mutating func name(_ bytes: Span<UInt8>) throws(AuthError) -> JSONMember {
    skipSpace(bytes)
    guard next(bytes) == UInt8(ascii: "\"") else { throw malformed("a member's name is missing") }
    let start = position + 1
    let isEscaped = try string(bytes)
    let name = start..<position - 1
    let key = isEscaped ? escapedKey(bytes, name) : MemberKey(bytes.extracting(name))
    guard key.length <= limits.nameBytes else { throw tooLarge("has a name that is too long") }
    return JSONMember(key: key, name: name, isEscaped: isEscaped)
  }

  private func escapedKey(_ bytes: Span<UInt8>, _ name: Range<Int>) -> MemberKey {
    let unescaped = JSONEscape.unescaped(bytes.extracting(name))
    return MemberKey(unescaped.span)
  }

  /// Steps over the colon behind a name, to where the value begins.
  private mutating func colon(_ bytes: Span<UInt8>) throws(AuthError) -> Int {
    guard take(bytes, UInt8(ascii: ":")) else { throw malformed("a colon is missing") }
    return position
  }

  private var repeated: AuthError {
    AuthError(.jsonDuplicateMember, "the JSON names one member twice, before byte \(position)")
  }

  private var tooWide: AuthError { tooLarge("has an object with too many members") }

  private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(AuthError) {
    try enter(depth)
    if take(bytes, UInt8(ascii: "]")) { return }
    repeat {
      skipSpace(bytes)
      try value(bytes, depth: depth)
    } while take(bytes, UInt8(ascii: ","))
    guard take(bytes, UInt8(ascii: "]")) else { throw malformed("an array does not end") }
  }

  /// Steps over the bracket, if the limits allow what it opens.
  private mutating func enter(_ depth: Int) throws(AuthError) {
    guard depth <= min(limits.depth, JSONLimits.deepest) else { throw tooLarge("nests too deep") }
    position += 1
  }

  private mutating func word(_ bytes: Span<UInt8>, _ word: StaticString) throws(AuthError) {
    let text = word.description.utf8
    guard text.count <= bytes.count - position, bytes.extracting(position..<position + text.count).isExactly(text.span)
    else { throw malformed("this is no value") }
    position += text.count
  }
}

// MARK: Strings

extension JSONScanner {
  /// Steps over a string, and says whether it has escapes.
  private mutating func string(_ bytes: Span<UInt8>) throws(AuthError) -> Bool {
    position += 1
    var isEscaped = false
    while true {
      position = bytes.endOfPlainText(from: position)
      switch next(bytes) {
      case UInt8(ascii: "\"")?:
        position += 1
        return isEscaped
      case UInt8(ascii: "\\")?:
        isEscaped = true
        try escape(bytes)
      case let byte? where byte >= 0x80: try sequence(bytes)
      case nil: throw malformed("a string does not end")
      default: throw malformed("a string holds a control character")
      }
    }
  }

  /// Steps over one character of two to four bytes, in its one valid spelling (Unicode, table 3-7).
  private mutating func sequence(_ bytes: Span<UInt8>) throws(AuthError) {
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
      (rest < 2 || bytes[position + 2] & 0xC0 == 0x80), rest < 3 || bytes[position + 3] & 0xC0 == 0x80
    else { throw malformed("a string is not UTF-8") }
    position += rest + 1
  }

  private mutating func escape(_ bytes: Span<UInt8>) throws(AuthError) {
    position += 1
    switch next(bytes) {
    case UInt8(ascii: "u"): try surrogates(bytes)
    case let letter?:
      guard JSONEscape.byte(for: letter) != nil else { throw malformed("an escape is unknown") }
      position += 1
    case nil: throw malformed("a string does not end")
    }
  }

  /// Steps over `u` and its digits, and over the second half of a pair.
  private mutating func surrogates(_ bytes: Span<UInt8>) throws(AuthError) {
    position += 1
    guard let first = JSONEscape.unit(in: bytes, at: position) else { throw badDigits }
    position += 4
    guard JSONEscape.surrogates.contains(first) else { return }
    guard JSONEscape.highSurrogates.contains(first), next(bytes) == UInt8(ascii: "\\"), position + 1 < bytes.count,
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
  private mutating func number(_ bytes: Span<UInt8>) throws(AuthError) {
    let start = position
    takeRaw(bytes, UInt8(ascii: "-"))
    if !takeRaw(bytes, UInt8(ascii: "0")), !takeDigits(bytes) { throw malformed("this is no value") }
    if takeRaw(bytes, UInt8(ascii: ".")), !takeDigits(bytes) { throw malformed("a number ends in its point") }
    var hasExponent = false
    if takeRaw(bytes, UInt8(ascii: "e")) || takeRaw(bytes, UInt8(ascii: "E")) {
      hasExponent = true
      _ = takeRaw(bytes, UInt8(ascii: "+")) || takeRaw(bytes, UInt8(ascii: "-"))
      guard takeDigits(bytes) else { throw malformed("a number ends in its exponent") }
    }
    // So few digits never go beyond a `Double`, and nearly all numbers have fewer.
    guard hasExponent || position - start > 300 else { return }
    let text = String(copying: bytes.extracting(start..<position))
    guard let double = Double(text), double.isFinite else { throw malformed("a number is too large") }
  }

  private mutating func takeDigits(_ bytes: Span<UInt8>) -> Bool {
    let start = position
    while let byte = next(bytes), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    return position > start
  }
}

// MARK: Bytes

extension JSONScanner {
  private func next(_ bytes: Span<UInt8>) -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace(_ bytes: Span<UInt8>) {
    while let byte = next(bytes), byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  /// Takes one structural character and the space on both sides of it.
  private mutating func take(_ bytes: Span<UInt8>, _ character: UInt8) -> Bool {
    skipSpace(bytes)
    guard takeRaw(bytes, character) else { return false }
    skipSpace(bytes)
    return true
  }

  @discardableResult
  private mutating func takeRaw(_ bytes: Span<UInt8>, _ character: UInt8) -> Bool {
    guard next(bytes) == character else { return false }
    position += 1
    return true
  }

  private func malformed(_ what: String) -> AuthError {
    AuthError(.jsonMalformed, "not strict JSON at byte \(position): \(what)")
  }

  private func tooLarge(_ what: String) -> AuthError { AuthError(.jsonTooLarge, "the JSON \(what)") }
}
