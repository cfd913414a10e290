public import GatehouseBase

/// The tokens that come with a second factor: enrolled, used or taken away.
///
/// The protocol names neither the user nor the token's life beside them: the ID token does.
public struct SecondFactorTokens: Codable, Sendable, Hashable {
  /// The ID token.
  public var idToken: Secret
  /// The refresh token.
  public var refreshToken: Secret

  /// Answers with a user's tokens.
  public init(idToken: Secret, refreshToken: Secret) {
    self.idToken = idToken
    self.refreshToken = refreshToken
  }
}

/// The code that was sent to a phone.
public struct PhoneVerificationInfo: Codable, Sendable, Hashable {
  /// Names the message that was sent.
  public var sessionInfo: Secret
  /// The code in it.
  public var code: Secret

  /// Makes the proof.
  public init(sessionInfo: Secret, code: Secret) {
    self.sessionInfo = sessionInfo
    self.code = code
  }
}

/// A password of an authenticator app.
public struct TotpVerificationInfo: Codable, Sendable, Hashable {
  /// Names the enrolment that is to end; `nil` at a sign-in.
  public var sessionInfo: Secret?
  /// The password that the app shows.
  public var verificationCode: String

  /// Makes the proof.
  public init(sessionInfo: Secret? = nil, verificationCode: String) {
    self.sessionInfo = sessionInfo
    self.verificationCode = verificationCode
  }
}
