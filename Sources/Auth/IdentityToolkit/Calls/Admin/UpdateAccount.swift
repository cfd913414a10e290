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
  /// Whether the address is verified.
  public var emailVerified: Bool?
  /// The new password; it ends the user's sessions.
  public var password: Secret?
  /// The new display name.
  public var displayName: String?
  /// The new picture's address.
  public var photoUrl: String?
  /// The new phone number in E.164 form.
  public var phoneNumber: String?
  /// Whether the account is disabled.
  public var disableUser: Bool?
  /// The custom claims of the user's ID tokens, as the text of a JSON object.
  public var customAttributes: String?
  /// The time before which sign-ins are revoked, in seconds since 1970.
  public var validSince: DecimalString?
  /// The fields to remove.
  public var deleteAttribute: [Update.Attribute]?
  /// The ways to sign in to remove: identity providers, `password`, `phone`.
  public var deleteProvider: [String]?
  /// An identity provider's user who can sign in to the account from now on.
  public var linkProviderUserInfo: Account.ProviderUserInfo?
  /// The account's complete second factors.
  public var mfa: Factors?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// The second factors of an account.
  public struct Factors: Codable, Sendable, Hashable {
    /// The phones; `nil` for none.
    public var enrollments: [CreateAccount.PhoneFactor]?

    /// Makes factors of these phones.
    public init(enrollments: [CreateAccount.PhoneFactor]?) { self.enrollments = enrollments }
  }

  /// Makes a request that changes nothing yet; set the members to change.
  public init(localId: String) { self.localId = localId }

  /// The response: the account after the change.
  public struct Response: Codable, Sendable, Hashable {
    /// The user's identifier.
    public var localId: String
    /// The user's address.
    public var email: String?
    /// The user's display name.
    public var displayName: String?
    /// The picture's address.
    public var photoUrl: String?

    /// Makes a response that has only the identifier.
    public init(localId: String) { self.localId = localId }
  }
}
