public import GatehouseBase

/// Begins to enrol a second factor: an authenticator app, or a phone to which it sends a code.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment/start
public struct StartMfaEnrollment: LocalizedCall {
  private enum CodingKeys: String, CodingKey { case idToken, totpEnrollmentInfo, phoneEnrollmentInfo }

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

  /// Says that the factor is a phone.
  public var phoneEnrollmentInfo: Phone?
  /// The language of the message to a phone; not on the wire.
  public var locale: String?

  /// Asks for a phone.
  public struct Phone: Codable, Sendable, Hashable {
    /// The phone's number, as E.164 writes it.
    public var phoneNumber: String

    /// Asks for a phone.
    public init(phoneNumber: String) { self.phoneNumber = phoneNumber }
  }

  /// Begins an enrolment of an authenticator app.
  public init(idToken: Secret) { self.idToken = idToken }

  /// Begins an enrolment of a phone.
  public init(idToken: Secret, phoneNumber: String) {
    self.idToken = idToken
    totpEnrollmentInfo = nil
    phoneEnrollmentInfo = Phone(phoneNumber: phoneNumber)
  }

  /// What the app needs.
  public struct Response: Codable, Sendable, Hashable {
    /// What the authenticator app needs.
    public var totpSessionInfo: TotpSession?
    /// Names the message to the phone.
    public var phoneSessionInfo: PhoneSession?

    /// Answers with what the app needs.
    public init(_ session: TotpSession) { totpSessionInfo = session }

    /// Answers with what names the message to a phone.
    public init(_ session: PhoneSession) { phoneSessionInfo = session }
  }

  /// Names a message to a phone.
  public struct PhoneSession: Codable, Sendable, Hashable {
    /// Goes with the code of the message.
    public var sessionInfo: Secret

    /// Names a message.
    public init(sessionInfo: Secret) { self.sessionInfo = sessionInfo }
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
