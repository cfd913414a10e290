/// Finds the comments of a Swift source, and knows them from the strings that look like one.
enum Comments {
  /// The text with a space for every byte of a comment. Lines stay lines.
  static func blanked(in text: String) -> String {
    var reader = Reader(bytes: Array(text.utf8))
    reader.readCode(until: nil)
    return String(decoding: reader.bytes, as: UTF8.self)
  }

  private struct Reader {
    var bytes: [UInt8]
    var index = 0

    func sees(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    /// Reads code up to the parenthesis that ends an interpolation, or up to the end.
    mutating func readCode(until end: UInt8?) {
      var depth = 0
      while index < bytes.count {
        switch bytes[index] {
        case UInt8(ascii: "/") where sees("//"): blank { $0.sees("\n") }
        case UInt8(ascii: "/") where sees("/*"): blankBlock()
        case UInt8(ascii: "\""), UInt8(ascii: "#"):
          if let quote = quoteHere() { readString(quote) } else { index += 1 }
        case let byte:
          if byte == end, depth == 0 { return }
          depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
          index += 1
        }
      }
    }

    /// How a string begins: its number signs, and one quote or three.
    struct Quote {
      var signs: Int
      var marks: Int
    }

    private func quoteHere() -> Quote? {
      let signs = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
      let marks = bytes[(index + signs)...].prefix { $0 == UInt8(ascii: "\"") }.count
      guard marks > 0 else { return nil }
      return Quote(signs: signs, marks: marks >= 3 ? 3 : 1)
    }

    private mutating func readString(_ quote: Quote) {
      let signs = [UInt8](repeating: UInt8(ascii: "#"), count: quote.signs)
      let end = [UInt8](repeating: UInt8(ascii: "\""), count: quote.marks) + signs
      let escape = [UInt8(ascii: "\\")] + signs
      index += quote.signs + quote.marks
      while index < bytes.count {
        let rest = bytes[index...]
        if rest.starts(with: end) {
          index += end.count
          return
        }
        if rest.starts(with: escape) {
          index += escape.count
          guard index < bytes.count, bytes[index] == UInt8(ascii: "(") else {
            index += 1
            continue
          }
          index += 1
          readCode(until: UInt8(ascii: ")"))
        }
        index += 1
      }
    }

    private mutating func blankBlock() {
      var depth = 0
      blank { reader in
        let (begins, ends) = (reader.sees("/*"), reader.sees("*/"))
        if begins || ends {
          depth += begins ? 1 : -1
          reader.erase()
          reader.erase()
        }
        return depth == 0
      }
    }

    private mutating func blank(until ends: (inout Reader) -> Bool) {
      while index < bytes.count, !ends(&self) { erase() }
    }

    private mutating func erase() {
      guard index < bytes.count else { return }
      if bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
      index += 1
    }
  }
}
