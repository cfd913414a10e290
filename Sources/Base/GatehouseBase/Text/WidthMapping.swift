extension Unicode.Scalar {
  /// The ordinary character for a fullwidth or halfwidth one (RFC 8264, section 5.2.1); any other character unchanged.
  ///
  /// These are the 226 characters that Unicode decomposes as `<wide>` or `<narrow>`. The list is final, because the
  /// block is full. Compatibility characters of other kinds stay unchanged.
  package var widthMapped: Unicode.Scalar {
    switch value {
    case 0x3000: " "
    case 0xFF01...0xFF5E: moved(from: 0xFF01, to: 0x21)
    case 0xFF5F...0xFF60: moved(from: 0xFF5F, to: 0x2985)
    case 0xFF61...0xFF9F: Self.katakana[Int(value - 0xFF61)]
    case 0xFFA0: "\u{3164}"
    case 0xFFA1...0xFFBE: moved(from: 0xFFA1, to: 0x3131)
    case 0xFFC2...0xFFC7: moved(from: 0xFFC2, to: 0x314F)
    case 0xFFCA...0xFFCF: moved(from: 0xFFCA, to: 0x3155)
    case 0xFFD2...0xFFD7: moved(from: 0xFFD2, to: 0x315B)
    case 0xFFDA...0xFFDC: moved(from: 0xFFDA, to: 0x3161)
    case 0xFFE0...0xFFE1: moved(from: 0xFFE0, to: 0xA2)
    case 0xFFE2: "\u{AC}"
    case 0xFFE3: "\u{AF}"
    case 0xFFE4: "\u{A6}"
    case 0xFFE5: "\u{A5}"
    case 0xFFE6: "\u{20A9}"
    case 0xFFE8: "\u{2502}"
    case 0xFFE9...0xFFEC: moved(from: 0xFFE9, to: 0x2190)
    case 0xFFED: "\u{25A0}"
    case 0xFFEE: "\u{25CB}"
    default: self
    }
  }

  private func moved(from first: UInt32, to other: UInt32) -> Unicode.Scalar {
    Unicode.Scalar(value - first + other) ?? self
  }

  /// The characters for U+FF61 to U+FF9F. The last two are the combining sound marks.
  private static let katakana = Array(
    """
    。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309A}
    """.unicodeScalars)
}
