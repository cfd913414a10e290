public import GatehouseBase

/// Creates an account, without signing in to it.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects/accounts
public struct CreateAccount: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts"

  /// The user's identifier, 1 to 128 bytes; `nil` for one that is generated.
  public var localId: String?
  /// The user's address.
  public var email: String?
  /// Whether the address is verified.
  public var emailVerified: Bool?
  /// The password to sign in with.
  public var password: Secret?
  /// The user's display name.
  public var displayName: String?
  /// The picture's address.
  public var photoUrl: String?
  /// The phone number in E.164 form.
  public var phoneNumber: String?
  /// Whether the account is disabled.
  public var disabled: Bool?
  /// The phones that are the account's second factors.
  public var mfaInfo: [PhoneFactor]?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// A phone that an administrator makes a second factor.
  public struct PhoneFactor: Codable, Sendable, Hashable {
    /// The factor's identifier; `nil` for a new factor.
    public var mfaEnrollmentId: String?
    /// The name shown to its user.
    public var displayName: String?
    /// The phone's number.
    public var phoneInfo: String?
    /// The time of the enrollment, in RFC 3339 format; `nil` for now.
    public var enrolledAt: String?

    /// Makes a factor for a phone number.
    public init(phoneInfo: String) { self.phoneInfo = phoneInfo }
  }

  /// Makes a request for an account that has only an identifier.
  public init(localId: String? = nil) { self.localId = localId }

  /// The response: the new account.
  public struct Response: Codable, Sendable, Hashable {
    /// The user's identifier.
    public var localId: String

    /// Makes a response with the identifier.
    public init(localId: String) { self.localId = localId }
  }
}
