public import GatehouseBase

extension AuthError.Code {
  /// The key breaks a rule: wrong size, not on its curve, known to be weak, private where public is asked, …
  public static let keyInvalid = Self(rawValue: 19140)
  /// The key may be a good one, of a kind that is not known here.
  public static let keyUnsupported = Self(rawValue: 19141)
  /// OpenSSL could not do its work; the message has its reason.
  public static let cryptoFailed = Self(rawValue: 19142)
  /// This is not what was encrypted to this key. Nothing says what is wrong with it: that would help who tries.
  public static let decryptionFailed = Self(rawValue: 19145)
}

extension AuthError {
  /// The one answer to everything that cannot be decrypted.
  package static var undecipherable: AuthError {
    AuthError(.decryptionFailed, "decryption failed: wrong key, or the data was changed")
  }
}
