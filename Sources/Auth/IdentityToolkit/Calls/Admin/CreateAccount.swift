public import GatehouseBase

/// Makes an account, without signing in to it.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects/accounts
public struct CreateAccount: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts"

  /// The user's identifier, 1 to 128 bytes; `nil` for one that is made up.
  public var localId: String?
  /// The user's address.
  public var email: String?
  /// Whether the address is known to be the user's.
  public var emailVerified: Bool?
  /// The password to sign in with.
  public var password: Secret?
  /// The name to show.
  public var displayName: String?
  /// The picture's address.
  public var photoUrl: String?
  /// The phone number, as E.164 writes it.
  public var phoneNumber: String?
  /// Whether the user may not sign in.
  public var disabled: Bool?
  /// The phones that are the account's second factors.
  public var mfaInfo: [PhoneFactor]?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// A phone that an administrator makes a second factor.
  public struct PhoneFactor: Codable, Sendable, Hashable {
    /// Names the factor; `nil` for a new one.
    public var mfaEnrollmentId: String?
    /// The name that its user knows it by.
    public var displayName: String?
    /// The phone's number.
    public var phoneInfo: String?
    /// When it was enrolled, as RFC 3339 writes it; `nil` for now.
    public var enrolledAt: String?

    /// A phone with a number.
    public init(phoneInfo: String) { self.phoneInfo = phoneInfo }
  }

  /// Asks for an account with nothing but an identifier.
  public init(localId: String? = nil) { self.localId = localId }

  /// What was made.
  public struct Response: Codable, Sendable, Hashable {
    /// The user's identifier.
    public var localId: String

    /// Answers with the identifier.
    public init(localId: String) { self.localId = localId }
  }
}
