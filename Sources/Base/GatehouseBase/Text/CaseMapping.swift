@_spi(_Unicode) import Swift

extension String {
  /// The form that all spellings of a user name or an e-mail address share. Compare it as bytes.
  ///
  /// It is that of the profile `UsernameCaseMapped` (RFC 8265, section 3.3.2): fullwidth and halfwidth characters
  /// become ordinary ones, then all are lower-cased, then composed (NFC). It is not case-folded: `ß` stays `ß`. No
  /// locale matters. Mapping a mapped text changes nothing.
  package var usernameCaseMapped: String {
    // Most addresses.
    if utf8.allSatisfy({ $0 < 0x80 }) {
      return String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
    let scalars = unicodeScalars.map(\.widthMapped)
    var lower = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      if scalar == Self.capitalSigma, Self.endsWord(index, in: scalars) {
        lower.append(Self.finalSigma)
      } else {
        lower.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return String(lower).composed.composed
  }

  /// The standard library's NFC: Foundation's has older tables and leaves some Hangul syllables apart.
  ///
  /// The standard library takes U+0F73, U+0F75 and U+0F81 for the start of a character, and does not sort what they
  /// decompose into among the marks before them. A second time does: by then they are decomposed.
  private var composed: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: _nfc)
    return String(scalars)
  }

  private static let capitalSigma: Unicode.Scalar = "\u{3A3}"
  private static let finalSigma: Unicode.Scalar = "\u{3C2}"

  /// The condition `Final_Sigma` of the Unicode Standard's `toLowercase` (section 3.13): a letter with case before,
  /// none after. The standard library's `lowercased()` does not look at it.
  private static func endsWord(_ index: Int, in scalars: [Unicode.Scalar]) -> Bool {
    let before = scalars[..<index].last { !$0.properties.isCaseIgnorable }
    let after = scalars[(index + 1)...].first { !$0.properties.isCaseIgnorable }
    return before?.properties.isCased == true && after?.properties.isCased != true
  }
}
