import GatehouseBase
import GatehouseCrypto

/// Makes and checks identifiers. New ones have 28 letters and digits, like Firebase's: 166 random bits.
enum Identifier {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

  /// Refuses an identifier that no account can have.
  static func check(_ uid: String) throws(AuthError) {
    let isUsable =
      (1...128).contains(uid.utf8.count)
      && (uid.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        || !uid.unicodeScalars.contains { $0.properties.generalCategory == .control })
    guard isUsable else {
      throw AuthError(.invalidArgument, "a user's identifier has 1 to 128 bytes, and no control characters")
    }
  }

  /// Refuses an identifier that no tenant can have.
  static func check(tenant id: String) throws(AuthError) {
    let isUsable =
      (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { $0 == UInt8(ascii: "-") || alphabet.contains($0) }
    guard isUsable else {
      throw AuthError(
        .invalidArgument, "a tenant's identifier has 1 to 64 letters (a-z, A-Z), digits and hyphens",
        server: .invalidTenantID)
    }
  }

  static func make() throws(AuthError) -> String {
    var text: [UInt8] = []
    while text.count < 28 {
      for byte in try RandomBytes.bytes(32) where text.count < 28 {
        // 248 = 4 * 62: larger bytes would make the first letters more likely than the others.
        if byte < 248 { text.append(alphabet[Int(byte) % alphabet.count]) }
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
