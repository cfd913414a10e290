extension AuthError.Code {
  /// The text is not JSON, or is ambiguous JSON.
  public static let jsonMalformed = Self(number: 19180)
  /// An object contains the same member name twice.
  public static let jsonDuplicateMember = Self(number: 19181)
  /// The JSON is larger, deeper or wider than the limits allow.
  public static let jsonTooLarge = Self(number: 19182)
  /// The text is not base64url, or not the canonical encoding of its bytes.
  public static let base64Malformed = Self(number: 19183)
}
