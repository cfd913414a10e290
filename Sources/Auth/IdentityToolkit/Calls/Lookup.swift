public import GatehouseBase

/// Asks what is known of the account that an ID token belongs to.
public struct Lookup: Call {
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:lookup"

  public var idToken: Secret

  public init(idToken: Secret) { self.idToken = idToken }

  /// The accounts found: exactly one.
  public struct Response: Codable, Sendable, Hashable {
    public var users: [Account]?

    public init(users: [Account]) { self.users = users }
  }
}

/// An account as the protocol shows it.
public struct Account: Codable, Sendable, Hashable {
  public var localId: String
  public var email: String?
  public var emailVerified: Bool?
  public var displayName: String?
  public var photoUrl: String?
  public var phoneNumber: String?
  public var tenantId: String?
  public var disabled: Bool?
  public var providerUserInfo: [ProviderUserInfo]?
  /// Milliseconds since 1970.
  public var createdAt: DecimalString?
  /// Milliseconds since 1970.
  public var lastLoginAt: DecimalString?
  /// Tokens of sign-ins before this moment are revoked; seconds since 1970.
  public var validSince: DecimalString?

  public init(localId: String) { self.localId = localId }

  public struct ProviderUserInfo: Codable, Sendable, Hashable {
    public var providerId: String
    public var rawId: String?
    public var federatedId: String?
    public var email: String?
    public var displayName: String?
    public var photoUrl: String?
    public var phoneNumber: String?

    public init(providerId: String) { self.providerId = providerId }
  }

  /// The account as the client holds it.
  public var profile: UserProfile {
    var profile = UserProfile(uid: localId)
    profile.email = email
    profile.isEmailVerified = emailVerified ?? false
    profile.displayName = displayName
    profile.photoURL = photoUrl
    profile.phoneNumber = phoneNumber
    profile.tenantID = tenantId
    profile.creationTime = createdAt.map { Double($0.value) / 1000 }
    profile.lastSignInTime = lastLoginAt.map { Double($0.value) / 1000 }
    profile.providers = (providerUserInfo ?? []).map { info in
      var provider = ProviderProfile(
        providerID: info.providerId, uid: info.rawId ?? info.federatedId ?? info.email ?? info.phoneNumber ?? "")
      provider.email = info.email
      provider.displayName = info.displayName
      provider.photoURL = info.photoUrl
      provider.phoneNumber = info.phoneNumber
      return provider
    }
    return profile
  }
}
