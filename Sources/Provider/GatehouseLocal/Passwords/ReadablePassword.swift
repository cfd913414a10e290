import GatehouseBase
import GatehouseCrypto

/// A password as Firebase's emulator keeps it, which is no hash: `fakeHash:salt=SALT:password=PASSWORD`.
///
/// Only an emulator's home has such passwords. So its accounts can be exported with their passwords, and a sign-up
/// costs no hash.
struct ReadablePassword: Sendable {
  let salt: String
  private let password: [UInt8]

  private static let beginning = Array("fakeHash:salt=".utf8)
  private static let middle = Array(":password=".utf8)

  /// Makes the form of a password; `nil` for a password with a NUL, at which SQLite would end the text.
  init?(of password: [UInt8]) throws(AuthError) {
    guard !password.contains(0) else { return nil }
    salt = "fakeSalt" + Base64URL.encode(try RandomBytes.bytes(15))
    self.password = password
  }

  /// Reads the form of a password; `nil` for any other text, one with a NUL, and a password that no account
  /// can have. Compares bytes, because a password may begin with a character that combines with the one before it.
  init?(text: String) {
    let bytes = Array(text.utf8)
    guard Self.isReadable(text), !bytes.contains(0) else { return nil }
    let rest = bytes.dropFirst(Self.beginning.count)
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), colon - rest.startIndex <= 1024,
      rest[colon...].starts(with: Self.middle)
    else { return nil }
    salt = String(decoding: rest[..<colon], as: UTF8.self)
    password = Array(rest[colon...].dropFirst(Self.middle.count))
    guard password.count <= PasswordRules.maximum else { return nil }
  }

  /// Whether a text is meant to be such a password.
  static func isReadable(_ text: String) -> Bool { text.utf8.starts(with: beginning) }

  var text: String { String(decoding: Self.beginning + Array(salt.utf8) + Self.middle + password, as: UTF8.self) }

  /// Whether this is the password. The comparison takes constant time.
  func matches(_ password: [UInt8]) -> Bool { constantTimeEquals(password, self.password) }
}
