extension AuthError.Code {
  /// This is not JSON, or not JSON that has one meaning.
  public static let jsonMalformed = Self(rawValue: 19180)
  /// An object names one member twice.
  public static let jsonDuplicateMember = Self(rawValue: 19181)
  /// The JSON is larger, deeper or wider than the limits allow.
  public static let jsonTooLarge = Self(rawValue: 19182)
  /// This is not base64url, or not the one canonical spelling of its bytes.
  public static let base64Malformed = Self(rawValue: 19183)
}
