import GatehouseBase

/// A second reader of JSON, straight from RFC 8259's grammar over Unicode scalars: slow, and obviously right.
///
/// The standard library tells what is UTF-8. Each further rule of the strict reader is here once.
enum PlainJSON {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([PlainJSON])
  case object([(name: String, value: PlainJSON)])

  /// The value that some bytes spell, or `nil`.
  init?(_ bytes: [UInt8], limits: JSONLimits = .standard) {
    guard bytes.count <= limits.bytes, let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var reader = PlainReader(scalars: Array(text.unicodeScalars), limits: limits)
    guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
    self = value
  }

  /// Whether this is the same value, built of the same bytes.
  func isSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let own), .bool(let other)): own == other
    case (.number(let own), .number(let other)): own.isExactly(other.text)
    case (.string(let own), .string(let other)): own.isExactly(other)
    case (.array(let own), .array(let other)):
      own.count == other.count && zip(own, other).allSatisfy { $0.isSame(as: $1) }
    case (.object(let own), .object(let other)):
      own.count == other.count
        && zip(own, other.members).allSatisfy { $0.name.isExactly($1.name) && $0.value.isSame(as: $1.value) }
    default: false
    }
  }
}

/// A rule of the grammar is a function that gives `nil` where the text breaks it.
private struct PlainReader {
  let scalars: [Unicode.Scalar]
  let limits: JSONLimits
  var place = 0

  /// `ws value ws`.
  mutating func value(depth: Int) -> PlainJSON? {
    skipSpace()
    defer { skipSpace() }
    switch next {
    case "{": return object(depth: depth + 1)
    case "[": return array(depth: depth + 1)
    case "\"": return string().map(PlainJSON.string)
    case "t": return takes("true") ? .bool(true) : nil
    case "f": return takes("false") ? .bool(false) : nil
    case "n": return takes("null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> PlainJSON? {
    guard depth <= limits.depth, takes("{") else { return nil }
    var members: [(name: String, value: PlainJSON)] = []
    skipSpace()
    if takes("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let name = string(), name.utf8.count <= limits.nameBytes, members.count < limits.members else { return nil }
      guard !members.contains(where: { $0.name.isExactly(name) }) else { return nil }
      skipSpace()
      guard takes(":"), let value = value(depth: depth) else { return nil }
      members.append((name, value))
    } while takes(",")
    return takes("}") ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> PlainJSON? {
    guard depth <= limits.depth, takes("[") else { return nil }
    var elements: [PlainJSON] = []
    skipSpace()
    if takes("]") { return .array(elements) }
    repeat {
      guard let element = value(depth: depth) else { return nil }
      elements.append(element)
    } while takes(",")
    return takes("]") ? .array(elements) : nil
  }

  private mutating func string() -> String? {
    guard takes("\"") else { return nil }
    var text = String.UnicodeScalarView()
    while let scalar = next {
      place += 1
      switch scalar {
      case "\"": return String(text)
      case "\\":
        guard let scalar = escaped() else { return nil }
        text.append(scalar)
      case "\0"..<" ": return nil
      default: text.append(scalar)
      }
    }
    return nil
  }

  private mutating func escaped() -> Unicode.Scalar? {
    guard let letter = next else { return nil }
    place += 1
    switch letter {
    case "\"", "\\", "/": return letter
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      guard let unit = unit() else { return nil }
      guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
      guard takes("\\u"), let trail = self.unit(), UTF16.isTrailSurrogate(trail) else { return nil }
      return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    default: return nil
    }
  }

  private mutating func unit() -> UInt16? {
    let digits = scalars[place...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }) else { return nil }
    place += 4
    return UInt16(String(String.UnicodeScalarView(digits)), radix: 16)
  }

  private mutating func number() -> PlainJSON? {
    let start = place
    _ = takes("-")
    if !takes("0"), !takesDigits() { return nil }
    if takes("."), !takesDigits() { return nil }
    if takes("e") || takes("E") {
      _ = takes("+") || takes("-")
      if !takesDigits() { return nil }
    }
    let text = String(String.UnicodeScalarView(scalars[start..<place]))
    guard let double = Double(text), double.isFinite else { return nil }
    return .number(text)
  }

  // MARK: Scalars

  var isAtEnd: Bool { place == scalars.count }
  private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

  private mutating func takes(_ text: String) -> Bool {
    guard scalars[place...].starts(with: text.unicodeScalars) else { return false }
    place += text.unicodeScalars.count
    return true
  }

  private mutating func takesDigits() -> Bool {
    let start = place
    while let scalar = next, ("0"..."9").contains(scalar) { place += 1 }
    return place > start
  }

  private mutating func skipSpace() {
    while let scalar = next, " \n\r\t".unicodeScalars.contains(scalar) { place += 1 }
  }
}
