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
