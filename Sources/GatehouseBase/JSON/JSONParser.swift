extension JSONValue {
  /// Reads one JSON text, strictly: what two parsers could understand in two ways is refused.
  ///
  /// Refused are: a name twice in one object, compared after unescaping (`jsonDuplicateMember`); whatever goes
  /// beyond `limits` (`jsonTooLarge`); and with `jsonMalformed` a byte order mark, invalid UTF-8, half a surrogate
  /// pair, raw control characters, numbers beyond a `Double`, anything after the value, and all else that RFC 8259
  /// does not allow. Messages give offsets, never content.
  public init(parsing bytes: some Sequence<UInt8>, limits: JSONLimits = .standard) throws(AuthError) {
    var parser = JSONParser(bytes: Array(bytes), limits: limits)
    self = try parser.document()
  }
}

extension JSONObject {
  /// Reads one JSON object, as strictly as `JSONValue.init(parsing:limits:)`.
  public init(parsing bytes: some Sequence<UInt8>, limits: JSONLimits = .standard) throws(AuthError) {
    guard case .object(let object) = try JSONValue(parsing: bytes, limits: limits) else {
      throw AuthError(.jsonMalformed, "the JSON is not an object")
    }
    self = object
  }
}

/// Walks a JSON text once. Every byte outside strings is held to the grammar, and every string to UTF-8.
struct JSONParser {
  private let bytes: [UInt8]
  private let limits: JSONLimits
  private var position = 0

  init(bytes: [UInt8], limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func document() throws(AuthError) -> JSONValue {
    guard bytes.count <= limits.bytes else { throw tooLarge("is longer than \(limits.bytes) bytes") }
    skipSpace()
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw malformed("something follows the value") }
    return value
  }

  private mutating func value(depth: Int) throws(AuthError) -> JSONValue {
    switch next {
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func object(depth: Int) throws(AuthError) -> JSONObject {
    try enter(depth)
    var object = JSONObject()
    if take("}") { return object }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw malformed("a member's name is missing") }
      let name = try string()
      guard name.utf8.count <= limits.nameBytes else { throw tooLarge("has a name that is too long") }
      guard object[name] == nil else {
        throw AuthError(.jsonDuplicateMember, "the JSON names one member twice, before byte \(position)")
      }
      guard object.count < limits.members else { throw tooLarge("has an object with too many members") }
      guard take(":") else { throw malformed("a colon is missing") }
      object.append(new: name, try value(depth: depth))
    } while take(",")
    guard take("}") else { throw malformed("an object does not end") }
    return object
  }

  private mutating func array(depth: Int) throws(AuthError) -> [JSONValue] {
    try enter(depth)
    var array: [JSONValue] = []
    if take("]") { return array }
    repeat { array.append(try value(depth: depth)) } while take(",")
    guard take("]") else { throw malformed("an array does not end") }
    return array
  }

  /// Steps over the bracket, if the limits allow what it opens.
  private mutating func enter(_ depth: Int) throws(AuthError) {
    guard depth <= min(limits.depth, JSONLimits.deepest) else { throw tooLarge("nests too deep") }
    position += 1
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(AuthError) -> JSONValue {
    let text = word.description.utf8
    guard bytes[position...].starts(with: text) else { throw malformed("this is no value") }
    position += text.count
    return value
  }
}

// MARK: Strings

extension JSONParser {
  private mutating func string() throws(AuthError) -> String {
    position += 1
    let start = position
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
    if next == UInt8(ascii: "\"") {
      defer { position += 1 }
      return try text(bytes[start..<position])
    }
    var unescaped = Array(bytes[start..<position])
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return try text(unescaped[...])
      case UInt8(ascii: "\\"): try escape(into: &unescaped)
      case ..<0x20: throw malformed("a string holds a control character")
      default: unescaped.append(byte)
      }
    }
    throw malformed("a string does not end")
  }

  private func text(_ slice: ArraySlice<UInt8>) throws(AuthError) -> String {
    guard let text = String(validating: slice, as: UTF8.self) else { throw malformed("a string is not UTF-8") }
    return text
  }

  private mutating func escape(into text: inout [UInt8]) throws(AuthError) {
    guard let letter = next else { throw malformed("a string does not end") }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try scalar())).utf8)
    default: throw malformed("an escape is unknown")
    }
  }

  /// The character behind `\u`, with its second half where it has one.
  private mutating func scalar() throws(AuthError) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800..<0xDC00).contains(first), bytes[position...].starts(with: "\\u".utf8) else {
      throw malformed("half a surrogate pair")
    }
    position += 2
    let second = try hexadecimal()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x1_0000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
    else { throw malformed("half a surrogate pair") }
    return scalar
  }

  private mutating func hexadecimal() throws(AuthError) -> UInt16 {
    var number: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw malformed("an escape wants four hexadecimal digits")
      }
      number = number << 4 | UInt16(digit)
      position += 1
    }
    return number
  }
}

// MARK: Numbers

extension JSONParser {
  private mutating func number() throws(AuthError) -> JSONNumber {
    let start = position
    takeRaw("-")
    if !takeRaw("0"), !takeDigits() { throw malformed("this is no value") }
    if takeRaw("."), !takeDigits() { throw malformed("a number ends in its point") }
    if takeRaw("e") || takeRaw("E") {
      _ = takeRaw("+") || takeRaw("-")
      guard takeDigits() else { throw malformed("a number ends in its exponent") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let double = Double(text), double.isFinite else { throw malformed("a number is too large") }
    return JSONNumber(checked: text)
  }

  private mutating func takeDigits() -> Bool {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position > start
  }
}

// MARK: Bytes

extension JSONParser {
  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Takes one structural character and the space on both sides of it.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard takeRaw(character) else { return false }
    skipSpace()
    return true
  }

  @discardableResult
  private mutating func takeRaw(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private func malformed(_ what: String) -> AuthError {
    AuthError(.jsonMalformed, "not strict JSON at byte \(position): \(what)")
  }

  private func tooLarge(_ what: String) -> AuthError { AuthError(.jsonTooLarge, "the JSON \(what)") }
}
