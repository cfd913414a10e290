public import GatehouseBase

/// The tokens that are issued when a second factor is enrolled, used or removed.
///
/// The protocol's response contains neither the user nor the token's lifetime; the ID token contains both.
public struct SecondFactorTokens: Codable, Sendable, Hashable {
  /// The ID token.
  public var idToken: Secret
  /// The refresh token.
  public var refreshToken: Secret

  /// Makes a response with a user's tokens.
  public init(idToken: Secret, refreshToken: Secret) {
    self.idToken = idToken
    self.refreshToken = refreshToken
  }
}

/// The code that was sent to a phone.
public struct PhoneVerificationInfo: Codable, Sendable, Hashable {
  /// The identifier of the message.
  public var sessionInfo: Secret
  /// The code in the message.
  public var code: Secret

  /// Makes the proof.
  public init(sessionInfo: Secret, code: Secret) {
    self.sessionInfo = sessionInfo
    self.code = code
  }
}

/// The one-time password of an authenticator app.
public struct TotpVerificationInfo: Codable, Sendable, Hashable {
  /// The identifier of the enrollment to complete; `nil` for a sign-in.
  public var sessionInfo: Secret?
  /// The one-time password that the app shows.
  public var verificationCode: String

  /// Makes the proof.
  public init(sessionInfo: Secret? = nil, verificationCode: String) {
    self.sessionInfo = sessionInfo
    self.verificationCode = verificationCode
  }
}
