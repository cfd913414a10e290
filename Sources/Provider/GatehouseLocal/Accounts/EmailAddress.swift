import GatehouseBase
import IdentityToolkit

/// An address that an account can have: ASCII letters in lower case, other characters as given.
///
/// Two addresses are the same when their bytes are. This is a sanity check, not one against RFC 5322: one `@` with
/// something on both sides, no white space, no control characters, at most 256 bytes of UTF-8.
struct EmailAddress: Sendable {
  let text: String

  /// Refuses an empty address as `MISSING_EMAIL`, and a malformed one as `INVALID_EMAIL`.
  init(_ given: String) throws(AuthError) {
    guard !given.isEmpty else { throw AuthError(server: "MISSING_EMAIL") }
    // The length first: what is refused for its length is not read, and not repeated in the error.
    guard given.utf8.count <= 256 else { throw AuthError(server: "INVALID_EMAIL : longer than 256 bytes") }
    let sides = given.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty, !given.unicodeScalars.contains(where: Self.isBlank)
    else { throw AuthError(server: "INVALID_EMAIL", email: given) }
    text = String(decoding: given.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether an account has this address, byte for byte.
  func belongs(to account: StoredAccount) -> Bool { account.email?.isExactly(text) ?? false }

  /// White space, and what a terminal or a database might not show as it is.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
  }
}
