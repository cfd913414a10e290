import GatehouseCore

/// Phones as second factors.
public enum PhoneMultiFactorGenerator {
  /// `phone`, as the protocol calls it.
  public static let factorID = "phone"

  /// Proves the phone: with the code that `PhoneAuthProvider.verifyPhoneNumber` has had sent, for an enrolment or for a
  /// sign-in as that was asked for.
  ///
  /// - Parameter phoneAuthCredential: from `PhoneAuthProvider.credential(withVerificationID:verificationCode:)`. Any
  ///   other one is `.invalidArgument` when the assertion is used.
  public static func assertion(with phoneAuthCredential: AuthCredential) -> MultiFactorAssertion {
    .phone(phoneAuthCredential.phoneCode)
  }
}
