public import GatehouseBase

extension AuthError.Code {
  /// The key breaks a rule: wrong size, not on its curve, known to be weak, private where a public one is expected, …
  public static let keyInvalid = Self(number: 19140)
  /// The key may be valid, but its kind is not supported.
  public static let keyUnsupported = Self(number: 19141)
  /// OpenSSL failed; the message has its reason.
  public static let cryptoFailed = Self(number: 19142)
  /// Decryption failed: wrong key or changed data. The message does not say which, because that would help an attacker.
  public static let decryptionFailed = Self(number: 19145)
}

extension AuthError {
  /// The one error for all data that cannot be decrypted.
  package static var undecipherable: AuthError {
    AuthError(.decryptionFailed, "decryption failed: wrong key, or the data was changed")
  }
}
