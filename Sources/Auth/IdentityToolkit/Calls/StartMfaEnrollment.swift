public import GatehouseBase

/// Begins to enrol an authenticator app as a second factor.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment/start
public struct StartMfaEnrollment: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// Says that the factor is an authenticator app.
  public var totpEnrollmentInfo: Totp? = Totp()

  /// Asks for an authenticator app.
  public struct Totp: Codable, Sendable, Hashable {
    /// Has no members.
    public init() {}
  }

  /// Begins an enrolment of an authenticator app.
  public init(idToken: Secret) { self.idToken = idToken }

  /// What the app needs.
  public struct Response: Codable, Sendable, Hashable {
    /// What the authenticator app needs.
    public var totpSessionInfo: TotpSession?

    /// Answers with what the app needs.
    public init(_ session: TotpSession) { totpSessionInfo = session }
  }

  /// What an authenticator app needs, and what ends the enrolment.
  public struct TotpSession: Codable, Sendable, Hashable {
    /// The secret, in base32.
    public var sharedSecretKey: Secret
    /// The digits of a password.
    public var verificationCodeLength: Int?
    /// `SHA1`.
    public var hashingAlgorithm: String?
    /// How long a password is shown, in seconds.
    public var periodSec: Int?
    /// Names this enrolment.
    public var sessionInfo: Secret
    /// Until when it may end, as RFC 3339 writes it.
    public var finalizeEnrollmentTime: String?

    /// Makes the session of an enrolment.
    public init(sharedSecretKey: Secret, sessionInfo: Secret) {
      self.sharedSecretKey = sharedSecretKey
      self.sessionInfo = sessionInfo
    }
  }
}
