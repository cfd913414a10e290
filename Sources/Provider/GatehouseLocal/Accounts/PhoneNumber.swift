package import GatehouseBase
import IdentityToolkit

/// A phone number in E.164 form: `+` and 7 to 15 digits. Spaces, hyphens, dots and parentheses are removed.
package struct PhoneNumber: Sendable {
  package let text: String

  /// Refuses an empty number as `MISSING_PHONE_NUMBER`, and a malformed one as `INVALID_PHONE_NUMBER`.
  package init(_ given: String) throws(AuthError) {
    guard !given.isEmpty else { throw AuthError(server: .missingPhoneNumber) }
    guard given.utf8.count <= 64 else { throw AuthError(server: .invalidPhoneNumber, "it is too long") }
    let kept = given.utf8.filter { !" -.()".utf8.contains($0) }
    let digits = kept.dropFirst()
    let isNumber =
      kept.first == UInt8(ascii: "+") && (7...15).contains(digits.count) && digits.first != UInt8(ascii: "0")
      && digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    guard isNumber else {
      throw AuthError(server: .invalidPhoneNumber, "write + and the country's code first, as in +12025550123")
    }
    text = String(decoding: kept, as: UTF8.self)
  }

  /// Returns a number that shows only its last digits.
  static func masked(_ text: String) -> String {
    "+" + String(repeating: "*", count: max(text.utf8.count - 5, 0)) + text.suffix(4)
  }
}
