/// What is known of a user: a value, as the provider last told it.
public struct UserProfile: Sendable, Hashable, Codable {
  /// The user's identifier, at most 128 characters; never changes.
  public var uid: String
  public var email: String?
  public var isEmailVerified = false
  public var displayName: String?
  /// As the provider gave it; no promise that it is a well-formed URL.
  public var photoURL: String?
  public var phoneNumber: String?
  public var tenantID: String?
  /// One entry for each way to sign in that the account has; empty for an anonymous user.
  public var providers: [ProviderProfile] = []
  /// When the account was made, in seconds since 1970.
  public var creationTime: Double?
  /// When somebody last signed in to it, in seconds since 1970.
  public var lastSignInTime: Double?

  public init(uid: String) { self.uid = uid }

  /// Whether the account has no way to sign in again.
  public var isAnonymous: Bool { email == nil && phoneNumber == nil && providers.isEmpty }
}

/// What one identity provider says of a user.
public struct ProviderProfile: Sendable, Hashable, Codable {
  /// `password`, `google.com`, …
  public var providerID: String
  /// The user's identifier at that provider; for `password` the address.
  public var uid: String
  public var email: String?
  public var displayName: String?
  public var photoURL: String?
  public var phoneNumber: String?

  public init(providerID: String, uid: String) {
    self.providerID = providerID
    self.uid = uid
  }
}
