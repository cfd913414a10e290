public import GatehouseBase

extension AuthError.Code {
  /// The data is not a certificate, or not one in the requested form.
  public static let certificateInvalid = Self(number: 19143)
  /// The certificate does not lead to a trusted root, is outside its validity, or is not for this use or name.
  public static let certificateUntrusted = Self(number: 19144)
}
