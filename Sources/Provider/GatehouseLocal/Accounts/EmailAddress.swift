import GatehouseBase
import IdentityToolkit

/// An account's address, in the form in which it is stored, compared and shown.
///
/// All spellings of an address share that form, which only `String.emailForm` makes. Two addresses are the
/// same if the bytes of their forms are equal. RFC 5322 is not checked: the form has one `@` with text on both sides,
/// no white space, no control characters, and at most 256 bytes of UTF-8. A new address must also pass `requireHonest`.
struct EmailAddress: Sendable {
  let text: String

  /// The maximum length of the stored form, in bytes of UTF-8.
  static let maximum = 256

  /// Refuses an empty address as `MISSING_EMAIL`, and a malformed one as `INVALID_EMAIL`.
  init(_ given: String) throws(AuthError) {
    guard !given.isEmpty else { throw AuthError(server: .missingEmail) }
    // The length comes first: a text that is too long is not processed, and not repeated in the error. No spelling is
    // more than 3.5 times as long as its form: a fullwidth letter with two marks has 7 bytes, and may become a letter
    // of 2 bytes.
    guard given.utf8.count <= 4 * Self.maximum else { throw Self.tooLong }
    let text = given.emailForm
    guard text.utf8.count <= Self.maximum else { throw Self.tooLong }
    let sides = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty,
      text.isPrintableASCII || !text.unicodeScalars.contains(where: Self.isBlank)
    else { throw AuthError(server: .invalidEmail, email: given) }
    self.text = text
  }

  /// Refuses an address that looks like another one, as `INVALID_EMAIL` with the character that causes it, and one
  /// whose domain has an empty label or a character that no host has in its name.
  func requireHonest() throws(AuthError) {
    guard !text.utf8.contains(UInt8(ascii: ":")) else {
      throw AuthError(server: .invalidEmail, "a : in it would make it a link in messages", email: text)
    }
    // An import checks many addresses, and nearly all of them are of printable ASCII.
    let domain = text.utf8.split(separator: UInt8(ascii: "@")).last ?? text.utf8[...]
    guard domain.allSatisfy(Self.isOfDomain) else { throw noDomain }
    if text.isPrintableASCII {
      let hyphen = UInt8(ascii: "-")
      let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard labels.allSatisfy({ !$0.isEmpty && $0.first != hyphen && $0.last != hyphen }) else { throw noDomain }
      return
    }
    // Other software reads the first two as full stops (RFC 3490 §3.1).
    let labels = (text.split(separator: "@").last ?? "").split(separator: ".", omittingEmptySubsequences: false)
    guard !text.unicodeScalars.contains(where: { "\u{3002}\u{FF61}".unicodeScalars.contains($0) }),
      labels.allSatisfy({ !$0.isEmpty && $0.first != "-" && $0.last != "-" })
    else { throw noDomain }
    guard let reason = text.unicodeScalars.lazy.compactMap(\.deception).first else { return }
    throw AuthError(server: .invalidEmail, "\(reason)", email: text)
  }

  /// Whether an account has this address, byte for byte.
  func belongs(to account: StoredAccount) -> Bool { account.email?.isExactly(text) ?? false }

  private var noDomain: AuthError {
    AuthError(server: .invalidEmail, "its domain is none that mail can be sent to", email: text)
  }

  private static var tooLong: AuthError { AuthError(server: .invalidEmail, "longer than \(maximum) bytes") }

  /// Whether a byte may be in a domain: no host has a name with other characters of ASCII, such as `/` and `?`.
  private static func isOfDomain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"), 0x80...:
      true
    default: false
    }
  }

  /// Whether a character is white space, or one that a terminal or a database might not show as it is.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
  }
}

extension String {
  /// Whether the text has only visible characters of ASCII.
  fileprivate var isPrintableASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
