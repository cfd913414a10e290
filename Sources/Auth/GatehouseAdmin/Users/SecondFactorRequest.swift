public import GatehouseBase
import IdentityToolkit

/// A second factor that a user is to have.
///
///     change.secondFactors = user.secondFactors.map { .existing($0) } + [.phone("+12025550123")]
public struct SecondFactorRequest: Sendable, Hashable {
  let factor: CreateAccount.PhoneFactor

  /// A phone.
  ///
  /// - Parameters:
  ///   - number: the phone's number, as E.164 writes it.
  ///   - displayName: the name that its user knows it by.
  ///   - uid: names the factor among those of its account; `nil` for a name that the project makes up.
  public static func phone(_ number: String, displayName: String? = nil, uid: String? = nil) -> SecondFactorRequest {
    var factor = CreateAccount.PhoneFactor(phoneInfo: number)
    factor.displayName = displayName
    factor.mfaEnrollmentId = uid
    return SecondFactorRequest(factor: factor)
  }

  /// One that the user has and keeps, an authenticator app for instance.
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
  /// As the protocol has them; `nil` for none.
  var mfaInfo: [CreateAccount.PhoneFactor]? { isEmpty ? nil : map(\.factor) }
}
