/// The user's profile, as last received from the provider. A value.
///
/// Its `Codable` form is the storage format: dates are written as seconds since 1970, under `creationTime` and
/// `lastSignInTime`.
public struct UserProfile: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case uid, email, isEmailVerified, displayName, photoURL, phoneNumber, tenantID, providers
    case secondFactors
    case isOfCustomToken = "customAuth"
    case creationSeconds = "creationTime"
    case lastSignInSeconds = "lastSignInTime"
  }

  /// The user's identifier, at most 128 characters. Never changes.
  public var uid: String
  /// The user's email address; `nil` for an anonymous user.
  public var email: String?
  /// Whether the provider has verified that the address belongs to the user.
  public var isEmailVerified = false
  /// The display name.
  public var displayName: String?
  /// The URL of the picture, as the provider sent it; may be malformed.
  public var photoURL: String?
  /// The user's phone number, in E.164 form if the provider uses it.
  public var phoneNumber: String?
  /// The user's tenant, in a project with tenants.
  public var tenantID: String?
  /// The account's sign-in methods, one entry for each; empty for an anonymous user.
  public var providers: [ProviderProfile] = []
  /// The account's second factors; `nil` if the provider reports none.
  public var secondFactors: [SecondFactor]?
  /// Whether the account signs in with custom tokens; `nil` if not.
  package var isOfCustomToken: Bool?
  /// The account's creation time, in seconds since 1970. In the stored unit, so that a round trip preserves it exactly.
  package var creationSeconds: Double?
  /// The time of the user's last sign-in, in seconds since 1970.
  package var lastSignInSeconds: Double?

  /// Creates a profile with only the user's identifier.
  public init(uid: String) { self.uid = uid }

  /// Whether the account has no sign-in method to sign in with again.
  public var isAnonymous: Bool {
    email == nil && phoneNumber == nil && providers.isEmpty && isOfCustomToken != true
  }
}

/// One identity provider's profile of a user.
public struct ProviderProfile: Sendable, Hashable, Codable {
  /// `password`, `google.com`, …
  public var providerID: String
  /// The user's identifier at this provider; for `password`, the email address.
  public var uid: String
  /// The email address according to this provider.
  public var email: String?
  /// The display name according to this provider.
  public var displayName: String?
  /// The URL of the picture, as this provider sent it.
  public var photoURL: String?
  /// The phone number according to this provider.
  public var phoneNumber: String?

  /// Creates an entry with only its identifiers.
  public init(providerID: String, uid: String) {
    self.providerID = providerID
    self.uid = uid
  }
}
