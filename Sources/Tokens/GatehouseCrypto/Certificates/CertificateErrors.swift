public import GatehouseBase

extension AuthError.Code {
  /// This is not a certificate, or not one in the form that was asked for.
  public static let certificateInvalid = Self(rawValue: 19143)
  /// The certificate does not lead to a trusted root, is out of its time, or is not for this use or name.
  public static let certificateUntrusted = Self(rawValue: 19144)
}
