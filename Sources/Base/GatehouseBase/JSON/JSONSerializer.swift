extension JSONValue {
  /// The value as compact JSON in UTF-8: no white space, members in order, numbers as written.
  public func serialized() -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(512)
    write(to: &output)
    return output
  }

  fileprivate func write(to output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let value): output.append(copying: value.text.utf8.span)
    case .string(let value): Self.write(value, to: &output)
    case .object(let value): value.write(to: &output)
    case .array(let value):
      output.append(UInt8(ascii: "["))
      for (index, element) in value.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        element.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    }
  }

  fileprivate static func write(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    let bytes = text.utf8.span
    var start = 0
    while start < bytes.count {
      // Plain text and non-ASCII text are copied unchanged.
      var end = bytes.endOfPlainText(from: start)
      while end < bytes.count, bytes[end] >= 0x80 { end = bytes.endOfPlainText(from: end + 1) }
      output.append(copying: bytes.extracting(start..<end))
      if end < bytes.count { write(escaped: bytes[end], to: &output) }
      start = end + 1
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func write(escaped byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    case 0x09: output.append(UInt8(ascii: "t"))
    default:
      let digits = Array("0123456789abcdef".utf8)
      output += Array("u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
}

extension JSONObject {
  /// The object as compact JSON in UTF-8, with its members in order.
  public func serialized() -> [UInt8] { JSONValue.object(self).serialized() }

  fileprivate func write(to output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      JSONValue.write(member.name, to: &output)
      output.append(UInt8(ascii: ":"))
      member.value.write(to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }
}

extension JSONValue: CustomStringConvertible {
  /// Compact JSON.
  public var description: String { String(decoding: serialized(), as: UTF8.self) }
}

extension JSONObject: CustomStringConvertible {
  /// Compact JSON.
  public var description: String { String(decoding: serialized(), as: UTF8.self) }
}
