import GatehouseBase
import IdentityToolkit

/// An address that an account can have, in the form in which it is stored, compared and shown.
///
/// All its spellings share that form: `String.usernameCaseMapped` makes it, and nothing else does. Two addresses are
/// the same when the bytes of their forms are. What is checked is not RFC 5322: the form has one `@` with something on
/// both sides, no white space, no control characters, at most 256 bytes of UTF-8. An address that an account is given
/// must also pass `requireHonest`; an account of an earlier version keeps the one that it has.
struct EmailAddress: Sendable {
  let text: String

  /// In bytes of UTF-8, as it is stored.
  static let maximum = 256

  /// Refuses an empty address as `MISSING_EMAIL`, and a malformed one as `INVALID_EMAIL`.
  init(_ given: String) throws(AuthError) {
    guard !given.isEmpty else { throw AuthError(server: "MISSING_EMAIL") }
    // The length first: what is refused for its length is not read, and not repeated in the error. No spelling is more
    // than 3.5 times as long as its form: a fullwidth letter with two marks has 7 bytes, and may become one of 2.
    guard given.utf8.count <= 4 * Self.maximum else { throw Self.tooLong }
    let text = given.usernameCaseMapped
    guard text.utf8.count <= Self.maximum else { throw Self.tooLong }
    let sides = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty, !text.unicodeScalars.contains(where: Self.isBlank)
    else { throw AuthError(server: "INVALID_EMAIL", email: given) }
    self.text = text
  }

  /// Refuses an address that prints like another one, as `INVALID_EMAIL` with the character that is the reason.
  func requireHonest() throws(AuthError) {
    guard let reason = text.unicodeScalars.lazy.compactMap(\.deception).first else { return }
    throw AuthError(server: "INVALID_EMAIL : \(reason)", email: text)
  }

  /// Whether an account has this address, byte for byte.
  func belongs(to account: StoredAccount) -> Bool { account.email?.isExactly(text) ?? false }

  private static var tooLong: AuthError { AuthError(server: "INVALID_EMAIL : longer than \(maximum) bytes") }

  /// White space, and what a terminal or a database might not show as it is.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
  }
}
