public import GatehouseBase
import IdentityToolkit

/// A second factor in a request to create or change a user.
///
///     change.secondFactors = user.secondFactors.map { .existing($0) } + [.phone("+12025550123")]
public struct SecondFactorRequest: Sendable, Hashable {
  let factor: CreateAccount.PhoneFactor

  /// Returns a phone.
  ///
  /// - Parameters:
  ///   - number: the phone's number in E.164 form.
  ///   - displayName: the name shown to its user.
  ///   - uid: the factor's identifier within its account; `nil` for one that the project chooses.
  public static func phone(_ number: String, displayName: String? = nil, uid: String? = nil) -> SecondFactorRequest {
    var factor = CreateAccount.PhoneFactor(phoneInfo: number)
    factor.displayName = displayName
    factor.mfaEnrollmentId = uid
    return SecondFactorRequest(factor: factor)
  }

  /// Returns a factor that the user already has and keeps, for example an authenticator app.
  public static func existing(_ factor: SecondFactor) -> SecondFactorRequest {
    SecondFactorRequest(factor: CreateAccount.PhoneFactor(factor))
  }
}

extension CreateAccount.PhoneFactor {
  fileprivate init(_ factor: SecondFactor) {
    self.init(phoneInfo: "")
    let shown = Account.MfaEnrollment(factor)
    mfaEnrollmentId = shown.mfaEnrollmentId
    displayName = shown.displayName
    phoneInfo = shown.phoneInfo
    enrolledAt = shown.enrolledAt
  }
}

extension [SecondFactorRequest] {
  /// The factors in the protocol's form; `nil` for none.
  var mfaInfo: [CreateAccount.PhoneFactor]? { isEmpty ? nil : map(\.factor) }
}
