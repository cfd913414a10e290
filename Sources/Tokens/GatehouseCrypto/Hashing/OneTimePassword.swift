package import GatehouseBase

/// One-time passwords from a shared secret and the time (TOTP, RFC 6238), as authenticator apps show them: HMAC-SHA1,
/// six digits, a new one every 30 seconds.
package enum OneTimePassword {
  /// The number of seconds for which one password is shown.
  package static let period: Int64 = 30
  /// The number of digits in a password.
  package static let digits = 6

  /// The number of the period at a moment, in seconds since 1970.
  package static func step(at seconds: Int64) -> Int64 { seconds / period }

  /// The password of a period.
  ///
  /// - Throws: `.invalidArgument` for an empty secret: everyone can compute its passwords.
  package static func password(_ secret: SecretBytes, step: Int64) throws(AuthError) -> String {
    guard secret.count > 0 else { throw AuthError(.invalidArgument, "the secret of one-time passwords is empty") }
    let tag = try KeyedHash.tag(of: [bigEndian(UInt64(bitPattern: step))], key: secret, digest: "SHA1", length: 20)
    let offset = Int(tag[tag.count - 1] & 0x0F)
    let number = tag[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let text = String(number % 1_000_000)
    return String(repeating: "0", count: digits - text.count) + text
  }

  /// The period whose password this is: the current one, the one before or the one after, to allow for different
  /// clocks; `nil`: none of them.
  ///
  /// Takes the same time in each case.
  package static func step(
    of password: String, _ secret: SecretBytes, at seconds: Int64
  ) throws(AuthError) -> Int64? {
    let present = step(at: seconds)
    var found: Int64?
    for step in [present - 1, present, present + 1] where step >= 0 {
      if constantTimeEquals(Array(try self.password(secret, step: step).utf8), Array(password.utf8)) { found = step }
    }
    return found
  }
}
