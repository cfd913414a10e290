import GatehouseCore

/// Phones as second factors.
public enum PhoneMultiFactorGenerator {
  /// `phone`, as the protocol calls it.
  public static let factorID = "phone"

  /// Returns the proof of a phone, with the code that `PhoneAuthProvider.verifyPhoneNumber` sent. That call decides
  /// whether the proof enrolls the phone or signs in.
  ///
  /// - Parameter phoneAuthCredential: from `PhoneAuthProvider.credential(withVerificationID:verificationCode:)`. With
  ///   any other credential, the call that uses the assertion throws `.invalidArgument`.
  public static func assertion(with phoneAuthCredential: AuthCredential) -> MultiFactorAssertion {
    .phone(phoneAuthCredential.phoneCode)
  }
}
