extension String {
  /// The form that all spellings of an email address share: `usernameCaseMapped`, and each label of the domain in
  /// Unicode that is written in ASCII (`xn--bcher-kva` for `bücher`, RFC 5891). Compare it as bytes.
  ///
  /// A label that is malformed, or is not what its Unicode form is written as, stays as it is: `xn--` labels of which
  /// no domain can be registered name no mailbox of another spelling.
  package var emailForm: String {
    let form = usernameCaseMapped
    guard let at = form.utf8.lastIndex(of: UInt8(ascii: "@")), form[at...].utf8.containsLabelInASCII else {
      return form
    }
    let labels = form[form.utf8.index(after: at)...].split(separator: ".", omittingEmptySubsequences: false)
    return form[...at] + labels.map { $0.labelInUnicode ?? String($0) }.joined(separator: ".")
  }

  /// The address with each label of the domain in ASCII, for mail programs that know no other domains. An address with
  /// another part in Unicode needs a program that knows them, and stays as it is.
  package var emailWithDomainInASCII: String {
    guard let at = utf8.lastIndex(of: UInt8(ascii: "@")), self[..<at].utf8.allSatisfy({ $0 < 0x80 }) else {
      return self
    }
    let labels = self[utf8.index(after: at)...].split(separator: ".", omittingEmptySubsequences: false)
    return self[...at] + labels.map { $0.labelInASCII }.joined(separator: ".")
  }
}

extension Substring {
  /// The label in Unicode; `nil` if it is not the ASCII form of one.
  fileprivate var labelInUnicode: String? {
    let bytes = Array(utf8)
    guard bytes.starts(with: Label.prefix), bytes.count <= Label.maximumLength,
      let text = Punycode.decoded(bytes.dropFirst(Label.prefix.count)),
      // One label, which is written as this one: no second spelling, and no character that is mapped to another one.
      !text.utf8.allSatisfy({ $0 < 0x80 }), text.usernameCaseMapped.isExactly(text),
      Punycode.encoded(text).elementsEqual(bytes.dropFirst(Label.prefix.count)),
      !text.unicodeScalars.contains(where: Label.isForbidden)
    else { return nil }
    return text
  }

  fileprivate var labelInASCII: String {
    guard !utf8.allSatisfy({ $0 < 0x80 }) else { return String(self) }
    return String(decoding: Label.prefix + Punycode.encoded(String(self)), as: UTF8.self)
  }
}

private enum Label {
  /// The beginning of a label in ASCII (RFC 5890 §2.3.1).
  static let prefix = Array("xn--".utf8)
  /// The maximum length of a label, in bytes (RFC 1035 §2.3.4).
  static let maximumLength = 63

  /// Whether a character cannot be part of a label: one that other software takes for a full stop or maps to another
  /// character, white space, and what an address does not have.
  static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    "@.\u{3002}\u{FF0E}\u{FF61}".unicodeScalars.contains(scalar) || scalar.properties.isWhitespace
      || scalar.properties.generalCategory == .control || scalar.isCompatibility
  }
}

extension Substring.UTF8View {
  /// Whether a label may be one in ASCII. Most addresses have none.
  fileprivate var containsLabelInASCII: Bool {
    var previous = UInt8(ascii: "@")
    for (index, byte) in zip(indices, self) {
      if byte == UInt8(ascii: "x"), previous == UInt8(ascii: ".") || previous == UInt8(ascii: "@"),
        self[index...].starts(with: Label.prefix)
      {
        return true
      }
      previous = byte
    }
    return false
  }
}
