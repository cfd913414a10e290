public import GatehouseBase

/// Changes an account. A member that is `nil` changes nothing.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/update
public struct UpdateAccount: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:update"

  /// The user's identifier.
  public var localId: String
  /// The new address; it ends the user's sessions.
  public var email: String?
  /// Whether the address is known to be the user's.
  public var emailVerified: Bool?
  /// The new password; it ends the user's sessions.
  public var password: Secret?
  /// The new name to show.
  public var displayName: String?
  /// The new picture's address.
  public var photoUrl: String?
  /// The new phone number, as E.164 writes it.
  public var phoneNumber: String?
  /// Whether the user may no longer sign in.
  public var disableUser: Bool?
  /// What ID tokens say of the user, as the text of a JSON object.
  public var customAttributes: String?
  /// Tokens of sign-ins before this moment are revoked; in seconds since 1970.
  public var validSince: DecimalString?
  /// Fields to empty.
  public var deleteAttribute: [Update.Attribute]?
  /// Ways to sign in that the account loses: identity providers, `password`, `phone`.
  public var deleteProvider: [String]?
  /// An identity provider's user who signs in to the account from now on.
  public var linkProviderUserInfo: Account.ProviderUserInfo?
  /// All second factors that the account is to have.
  public var mfa: Factors?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// The second factors of an account.
  public struct Factors: Codable, Sendable, Hashable {
    /// The phones; `nil` for none.
    public var enrollments: [CreateAccount.PhoneFactor]?

    /// These phones.
    public init(enrollments: [CreateAccount.PhoneFactor]?) { self.enrollments = enrollments }
  }

  /// Makes a request that changes nothing yet: set the members that are to change.
  public init(localId: String) { self.localId = localId }

  /// The account after the change.
  public struct Response: Codable, Sendable, Hashable {
    /// The user's identifier.
    public var localId: String
    /// The user's address.
    public var email: String?
    /// The name to show.
    public var displayName: String?
    /// The picture's address.
    public var photoUrl: String?

    /// Answers with nothing but the identifier.
    public init(localId: String) { self.localId = localId }
  }
}
