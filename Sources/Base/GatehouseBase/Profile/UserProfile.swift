/// The user's profile: a value, as the provider last told it.
///
/// `Codable` is the form that stores keep: dates are written as seconds since 1970, under `creationTime` and
/// `lastSignInTime`.
public struct UserProfile: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case uid, email, isEmailVerified, displayName, photoURL, phoneNumber, tenantID, providers
    case secondFactors
    case isOfCustomToken = "customAuth"
    case creationSeconds = "creationTime"
    case lastSignInSeconds = "lastSignInTime"
  }

  /// The user's identifier, at most 128 characters; never changes.
  public var uid: String
  /// The user's address; `nil` for an anonymous user.
  public var email: String?
  /// Whether the provider has verified that the address is the user's.
  public var isEmailVerified = false
  /// The name to show.
  public var displayName: String?
  /// The picture's address, as the provider gave it; no promise that it is a well-formed URL.
  public var photoURL: String?
  /// The user's phone number, in E.164 form where the provider keeps to it.
  public var phoneNumber: String?
  /// The tenant that the user belongs to, in a project that has tenants.
  public var tenantID: String?
  /// One entry for each way to sign in that the account has; empty for an anonymous user.
  public var providers: [ProviderProfile] = []
  /// The account's second factors; `nil` where the provider tells of none.
  public var secondFactors: [SecondFactor]?
  /// Whether the account signs in by custom tokens; `nil` where it does not.
  package var isOfCustomToken: Bool?
  /// When the account was made, in seconds since 1970: as it is stored, so that what is read equals what was written.
  package var creationSeconds: Double?
  /// When the user last signed in, in seconds since 1970.
  package var lastSignInSeconds: Double?

  /// Makes a profile with nothing but the user's identifier.
  public init(uid: String) { self.uid = uid }

  /// Whether the account has no way to sign in again.
  public var isAnonymous: Bool {
    email == nil && phoneNumber == nil && providers.isEmpty && isOfCustomToken != true
  }
}

/// What one identity provider says of a user.
public struct ProviderProfile: Sendable, Hashable, Codable {
  /// `password`, `google.com`, …
  public var providerID: String
  /// The user's identifier at that provider; for `password` the address.
  public var uid: String
  /// The address that this provider knows.
  public var email: String?
  /// The name that this provider knows.
  public var displayName: String?
  /// The picture's address, as this provider gave it.
  public var photoURL: String?
  /// The phone number that this provider knows.
  public var phoneNumber: String?

  /// Makes an entry with nothing but its identifiers.
  public init(providerID: String, uid: String) {
    self.providerID = providerID
    self.uid = uid
  }
}
