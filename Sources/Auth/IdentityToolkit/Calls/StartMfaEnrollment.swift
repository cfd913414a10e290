public import GatehouseBase

/// Begins the enrollment of a second factor: an authenticator app, or a phone, to which it sends a code.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment/start
public struct StartMfaEnrollment: LocalizedCall {
  private enum CodingKeys: String, CodingKey { case idToken, totpEnrollmentInfo, phoneEnrollmentInfo, tenantId }

  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// Present if the factor is an authenticator app.
  public var totpEnrollmentInfo: Totp? = Totp()

  /// Marks the factor as an authenticator app.
  public struct Totp: Codable, Sendable, Hashable {
    /// Makes the marker, which has no members.
    public init() {}
  }

  /// Present if the factor is a phone.
  public var phoneEnrollmentInfo: Phone?
  /// The language of the message to a phone; not sent in the body.
  public var locale: String?
  /// The tenant; `nil` for the token's own. A call that names another one than the token is refused.
  public var tenantId: String?

  /// The phone to enroll.
  public struct Phone: Codable, Sendable, Hashable {
    /// The phone's number in E.164 form.
    public var phoneNumber: String

    /// Makes the phone to enroll.
    public init(phoneNumber: String) { self.phoneNumber = phoneNumber }
  }

  /// Makes a request to enroll an authenticator app.
  public init(idToken: Secret) { self.idToken = idToken }

  /// Makes a request to enroll a phone.
  public init(idToken: Secret, phoneNumber: String) {
    self.idToken = idToken
    totpEnrollmentInfo = nil
    phoneEnrollmentInfo = Phone(phoneNumber: phoneNumber)
  }

  /// The response: the data to complete the enrollment.
  public struct Response: Codable, Sendable, Hashable {
    /// The secret and parameters for the authenticator app.
    public var totpSessionInfo: TotpSession?
    /// The identifier of the message to the phone.
    public var phoneSessionInfo: PhoneSession?

    /// Makes a response for an authenticator app.
    public init(_ session: TotpSession) { totpSessionInfo = session }

    /// Makes a response for a phone.
    public init(_ session: PhoneSession) { phoneSessionInfo = session }
  }

  /// The identifier of a message to a phone.
  public struct PhoneSession: Codable, Sendable, Hashable {
    /// The identifier, sent back together with the message's code.
    public var sessionInfo: Secret

    /// Makes the identifier of a message.
    public init(sessionInfo: Secret) { self.sessionInfo = sessionInfo }
  }

  /// The secret and parameters of an authenticator app, and the identifier that completes its enrollment.
  public struct TotpSession: Codable, Sendable, Hashable {
    /// The secret, in base32.
    public var sharedSecretKey: Secret
    /// The number of digits of a one-time password.
    public var verificationCodeLength: Int?
    /// The hash algorithm, `SHA1`.
    public var hashingAlgorithm: String?
    /// The period of a one-time password, in seconds.
    public var periodSec: Int?
    /// The identifier of this enrollment.
    public var sessionInfo: Secret
    /// The deadline of the enrollment, in RFC 3339 format.
    public var finalizeEnrollmentTime: String?

    /// Makes the session of an enrollment.
    public init(sharedSecretKey: Secret, sessionInfo: Secret) {
      self.sharedSecretKey = sharedSecretKey
      self.sessionInfo = sessionInfo
    }
  }
}
