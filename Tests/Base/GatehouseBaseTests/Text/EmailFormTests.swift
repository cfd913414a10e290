import GatehouseBase
import Testing

/// The form that all spellings of an address share, with domains in ASCII (RFC 3492, RFC 5891).
struct EmailFormTests {
  /// Domains that registries have, and RFC 3492's samples in lower case.
  private static let domains = [
    ("xn--bcher-kva.example", "b\u{FC}cher.example"), ("xn--mnchen-3ya.de", "m\u{FC}nchen.de"),
    ("xn--fiqs8s", "\u{4E2D}\u{56FD}"), ("xn--strae-oqa.de", "stra\u{DF}e.de"),
    ("a.xn--p1ai", "a.\u{440}\u{444}"), ("xn--wgbh1c", "\u{645}\u{635}\u{631}"),
    ("xn--ihqwcrb4cv8a8dqg056pqjye", "\u{4ED6}\u{4EEC}\u{4E3A}\u{4EC0}\u{4E48}\u{4E0D}\u{8BF4}\u{4E2D}\u{6587}"),
    (
      "xn--egbpdaj6bu4bxfgehfvwxn",
      "\u{644}\u{64A}\u{647}\u{645}\u{627}\u{628}\u{62A}\u{643}\u{644}\u{645}\u{648}\u{634}\u{639}\u{631}\u{628}\u{64A}\u{61F}"
    ),
    ("xn--bcher-kva.xn--mnchen-3ya.de", "b\u{FC}cher.m\u{FC}nchen.de"),
  ]

  @Test(arguments: domains) func `a domain in ASCII and in Unicode is one`(_ ascii: String, _ unicode: String) {
    for spelling in [
      ascii, unicode, ascii.uppercased(), unicode.uppercased().replacing("STRASSE", with: "stra\u{DF}e"),
    ] {
      #expect("ada@\(spelling)".emailForm.isExactly("ada@\(unicode)"), "\(spelling)")
    }
    #expect("ada@\(unicode)".emailForm.emailForm.isExactly("ada@\(unicode)"))
    #expect("ada@\(unicode)".emailWithDomainInASCII.isExactly("ada@\(ascii)"))
  }

  @Test(arguments: [
    "xn--", "xn--a", "xn--abc", "xn---", "xn--bcher-kv", "xn--bcher-kva-", "xn--99999999999999", "xn--abc-",
    // Its Unicode form is mapped to another one: in upper case, decomposed, in full width, with a dot.
    "xn--bcher-2pa", "xn--cafe-yvc", "xn--cher-zra77610b", "xn--a-eha7227a", "xn--a-ecp.ru", "xn-- b-wka",
    "xn--\u{FC}", "xn--b.example", "xn--" + String(repeating: "a", count: 5000),
  ])
  func `a label that no Unicode label is written as stays as it is`(domain: String) {
    #expect("ada@\(domain)".emailForm.isExactly("ada@\(domain)".usernameCaseMapped), "\(domain)")
  }

  @Test func `only labels of the domain count`() {
    for address in ["xn--bcher-kva@example.com", "ada", "", "ada@axn--bcher-kva.example", "ada@example.com"] {
      #expect(address.emailForm.isExactly(address))
      #expect(address.emailWithDomainInASCII.isExactly(address))
    }
    #expect("\u{FC}@b\u{FC}cher.example".emailWithDomainInASCII.isExactly("\u{FC}@b\u{FC}cher.example"))
    #expect("a@xn--bcher-kva".emailForm.isExactly("a@b\u{FC}cher"))
    #expect("a@\u{FF38}\u{FF2E}--bcher-kva".emailForm.isExactly("a@b\u{FC}cher"), "in full width")
  }
}
