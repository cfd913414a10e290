/// Builds values from a text that a scanner has accepted. Checks nothing again.
struct JSONBuilder {
  private let bytes: [UInt8]
  private var position: Int

  init(_ bytes: [UInt8], at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  mutating func value() -> JSONValue {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return .object(object())
    case UInt8(ascii: "["): return .array(array())
    case UInt8(ascii: "\""): return .string(string())
    case UInt8(ascii: "t"): return word(4, .bool(true))
    case UInt8(ascii: "f"): return word(5, .bool(false))
    case UInt8(ascii: "n"): return word(4, .null)
    default: return .number(number())
    }
  }

  private mutating func object() -> JSONObject {
    var object = JSONObject()
    while !ends(with: UInt8(ascii: "}")) {
      let name = string()
      skipSpace()
      position += 1
      object.append(new: name, value())
    }
    return object
  }

  private mutating func array() -> [JSONValue] {
    var array: [JSONValue] = []
    while !ends(with: UInt8(ascii: "]")) { array.append(value()) }
    return array
  }

  /// Skips a bracket or comma and the space after it, and the closing bracket if it is next.
  private mutating func ends(with end: UInt8) -> Bool {
    skipSpace()
    if next != end {
      position += 1
      skipSpace()
    }
    guard next == end || next == nil else { return false }
    position += 1
    return true
  }

  private mutating func string() -> String {
    position += 1
    let start = position
    var isEscaped = false
    while let byte = next, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        position += 1
      }
      position += 1
    }
    defer { position += 1 }
    let range = start..<min(position, bytes.count)
    return isEscaped
      ? String(decoding: JSONEscape.unescaped(bytes.span.extracting(range)), as: UTF8.self)
      : String(decoding: bytes[range], as: UTF8.self)
  }

  private mutating func number() -> JSONNumber {
    let start = position
    while let byte = next, !Self.endsNumber(byte) { position += 1 }
    return JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private static func endsNumber(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
  }

  private mutating func word(_ length: Int, _ value: JSONValue) -> JSONValue {
    position += length
    return value
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() { while let byte = next, byte <= 0x20 { position += 1 } }
}
