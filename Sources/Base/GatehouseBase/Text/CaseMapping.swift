@_spi(_Unicode) import Swift

extension String {
  /// The canonical form shared by all spellings of a user name or an email address. Compare it as bytes.
  ///
  /// This is the profile `UsernameCaseMapped` (RFC 8265, section 3.3.2): maps fullwidth and halfwidth characters to
  /// ordinary ones, lowercases all, and composes them (NFC). It is not case-folded: `ß` stays `ß`. Independent of the
  /// locale, and idempotent.
  package var usernameCaseMapped: String {
    // The fast path for most addresses.
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

  /// The standard library's NFC. Foundation's has older tables and leaves some Hangul syllables decomposed.
  ///
  /// The standard library treats U+0F73, U+0F75 and U+0F81 as the start of a character, and does not sort the marks
  /// that they decompose into among those before them. A second pass does: by then they are decomposed.
  private var composed: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: _nfc)
    return String(scalars)
  }

  private static let capitalSigma: Unicode.Scalar = "\u{3A3}"
  private static let finalSigma: Unicode.Scalar = "\u{3C2}"

  /// The condition `Final_Sigma` of the Unicode Standard's `toLowercase` (section 3.13): a cased letter before, and
  /// none after. The standard library's `lowercased()` does not implement it.
  private static func endsWord(_ index: Int, in scalars: [Unicode.Scalar]) -> Bool {
    let before = scalars[..<index].last { !$0.properties.isCaseIgnorable }
    let after = scalars[(index + 1)...].first { !$0.properties.isCaseIgnorable }
    return before?.properties.isCased == true && after?.properties.isCased != true
  }
}
