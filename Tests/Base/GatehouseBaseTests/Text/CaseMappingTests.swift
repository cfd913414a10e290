import GatehouseBase
@_spi(_Unicode) import Swift
import Testing

/// The one form of all spellings of a name, as RFC 8265 defines it for `UsernameCaseMapped`.
struct CaseMappingTests {
  private static let allScalars = (0...0x10FFFF).compactMap { Unicode.Scalar(UInt32($0)) }
  private static let assignedScalars = allScalars.filter {
    $0.properties.generalCategory != .unassigned && $0.properties.generalCategory != .privateUse
  }

  private func form(_ text: String) -> [UInt8] { Array(text.usernameCaseMapped.utf8) }

  private func decomposed(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: text._nfd)
    return String(scalars)
  }

  /// From the `<wide>` and `<narrow>` decompositions of UnicodeData.txt, by another program: one of each kind, and the
  /// first and last of each row.
  @Test(arguments: [
    (0x3000, 0x20), (0xFF01, 0x21), (0xFF20, 0x40), (0xFF21, 0x61), (0xFF41, 0x61), (0xFF5E, 0x7E), (0xFF5F, 0x2985),
    (0xFF60, 0x2986), (0xFF61, 0x3002), (0xFF62, 0x300C), (0xFF65, 0x30FB), (0xFF66, 0x30F2), (0xFF6F, 0x30C3),
    (0xFF70, 0x30FC), (0xFF71, 0x30A2), (0xFF80, 0x30BF), (0xFF8A, 0x30CF), (0xFF8E, 0x30DB), (0xFF93, 0x30E2),
    (0xFF9C, 0x30EF), (0xFF9D, 0x30F3), (0xFF9E, 0x3099), (0xFF9F, 0x309A), (0xFFA0, 0x3164), (0xFFA1, 0x3131),
    (0xFFBE, 0x314E), (0xFFC2, 0x314F), (0xFFC7, 0x3154), (0xFFCA, 0x3155), (0xFFCF, 0x315A), (0xFFD2, 0x315B),
    (0xFFD7, 0x3160), (0xFFDA, 0x3161), (0xFFDC, 0x3163), (0xFFE0, 0xA2), (0xFFE1, 0xA3), (0xFFE2, 0xAC),
    (0xFFE3, 0xAF), (0xFFE4, 0xA6), (0xFFE5, 0xA5), (0xFFE6, 0x20A9), (0xFFE8, 0x2502), (0xFFE9, 0x2190),
    (0xFFEC, 0x2193), (0xFFED, 0x25A0), (0xFFEE, 0x25CB),
    // Not of another width: a ligature, a small form, a circled letter, an unassigned one beside them.
    (0xFB01, 0xFB01), (0xFE6B, 0xFE6B), (0x24D0, 0x24D0), (0xFFC0, 0xFFC0), (0xFFE7, 0xFFE7),
  ])
  func `a character of another width becomes the ordinary one`(given: UInt32, ordinary: UInt32) throws {
    let given = try #require(Unicode.Scalar(given))
    #expect(Array(String(given).usernameCaseMapped.unicodeScalars.map(\.value)) == [ordinary])
  }

  @Test func `226 characters are of another width`() {
    #expect(Self.assignedScalars.count { $0.widthMapped != $0 } == 226)
    #expect(Self.assignedScalars.allSatisfy { $0.widthMapped.widthMapped == $0.widthMapped })
  }

  @Test(arguments: [
    ("A\u{30A}", "\u{E5}"), ("\u{212B}", "\u{E5}"), ("\u{C5}", "\u{E5}"), ("a\u{323}\u{302}", "\u{1EAD}"),
    ("a\u{302}\u{323}", "\u{1EAD}"), ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"), ("\u{CE3C}\u{11AE}", "\u{CE43}"),
    ("x\u{1DCB}\u{F73}", "x\u{F71}\u{F72}\u{1DCB}"), ("x\u{1DE3}\u{F75}", "x\u{F71}\u{F74}\u{1DE3}"),
    ("x\u{654}\u{F81}", "x\u{F71}\u{F80}\u{654}"),
    ("\u{958}", "\u{915}\u{93C}"), ("\u{1D15E}", "\u{1D157}\u{1D165}"), ("\u{212A}", "k"), ("\u{2126}", "\u{3C9}"),
    ("\u{DF}", "\u{DF}"), ("\u{1E9E}", "\u{DF}"), ("SS", "ss"), ("\u{130}", "i\u{307}"), ("I", "i"),
    ("\u{131}", "\u{131}"), ("\u{1C5}", "\u{1C6}"), ("\u{FB01}", "\u{FB01}"), ("\u{2168}", "\u{2178}"),
    ("\u{FF76}\u{FF9E}", "\u{30AC}"), ("\u{FF26}\u{FF0A}", "f*"), ("\u{1F88}", "\u{1F80}"), ("\u{10400}", "\u{10428}"),
  ])
  func `a text has this form`(given: String, form: String) {
    #expect(self.form(given) == Array(form.utf8))
  }

  /// As the Unicode Standard's `toLowercase`: a capital sigma at the end of a word becomes `ς`. One that was written in
  /// lower case stays what it is.
  @Test(arguments: [
    ("\u{39F}\u{394}\u{39F}\u{3A3}", "\u{3BF}\u{3B4}\u{3BF}\u{3C2}"), ("\u{3A3}", "\u{3C3}"),
    ("\u{3A3}\u{391}", "\u{3C3}\u{3B1}"), ("\u{391}\u{3A3}\u{391}", "\u{3B1}\u{3C3}\u{3B1}"),
    ("\u{391}\u{3A3}@\u{391}", "\u{3B1}\u{3C2}@\u{3B1}"), ("\u{391}\u{3A3}.\u{391}", "\u{3B1}\u{3C3}.\u{3B1}"),
    ("\u{391}\u{3A3}\u{301}", "\u{3B1}\u{3C2}\u{301}"), ("\u{391}\u{301}\u{3A3}", "\u{3AC}\u{3C2}"),
    ("1\u{3A3}", "1\u{3C3}"), ("\u{3B1}\u{3C3}", "\u{3B1}\u{3C3}"), ("\u{3B1}\u{3C2}", "\u{3B1}\u{3C2}"),
    ("A\u{3A3}\u{3A3}", "a\u{3C3}\u{3C2}"),
  ])
  func `a sigma has the form of its position`(given: String, form: String) {
    #expect(self.form(given) == Array(form.utf8))
  }

  /// Many scalars in one text, with a line end between them: nothing composes with that, and it ends a word.
  @Test func `mapping twice changes nothing, and an equivalent spelling has the same form`() {
    var wrong: [String] = []
    func check(_ texts: [String]) {
      let once = texts.joined(separator: "\n").usernameCaseMapped
      if form(once) == Array(once.utf8), form(decomposed(texts.joined(separator: "\n"))) == Array(once.utf8) { return }
      if texts.count == 1 { return wrong.append(texts[0].unicodeScalars.map { $0.escaped(asASCII: true) }.joined()) }
      for text in texts { check([text]) }
    }
    var chunk: [String] = []
    for scalar in Self.allScalars {
      chunk.append(String(scalar))
      let properties = scalar.properties
      let hasParts = !decomposed(String(scalar)).unicodeScalars.elementsEqual([scalar])
      if hasParts || properties.isCased || properties.isCaseIgnorable
        || properties.canonicalCombiningClass != .notReordered
      {
        chunk += ["\u{391}\(scalar)\u{3A3}", "\u{391}\u{3A3}\(scalar)\u{391}", "a\(scalar)\u{FF9E}"]
        chunk += ["A\u{30A}\(scalar)", "a\(scalar)\u{301}\u{323}", "x\u{1DE3}\(scalar)"]
      }
      if chunk.count > 1000 {
        check(chunk)
        chunk = []
      }
    }
    check(chunk)
    #expect(wrong == [])
  }

  @Test func `no spelling is longer than 3,5 times its form`() {
    // The longest: each character of the form decomposed, in upper case, in another width.
    var longest: [Unicode.Scalar: Int] = [:]
    for scalar in Self.assignedScalars {
      let form = String(scalar).usernameCaseMapped.unicodeScalars
      if form.count == 1, let only = form.first { longest[only] = max(longest[only] ?? 0, scalar.utf8.count) }
    }
    let factors = Self.assignedScalars.compactMap { scalar -> Double? in
      guard Array(String(scalar).usernameCaseMapped.unicodeScalars) == [scalar] else { return nil }
      let parts = decomposed(String(scalar)).unicodeScalars.reduce(0) { $0 + max(longest[$1] ?? 0, $1.utf8.count) }
      return Double(max(parts, longest[scalar] ?? 0)) / Double(scalar.utf8.count)
    }
    #expect(factors.max() == 3.5)
  }
}
