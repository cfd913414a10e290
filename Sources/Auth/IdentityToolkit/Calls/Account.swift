import FoundationEssentials
public import GatehouseBase

/// An account as the protocol shows it. Its members have their names on the wire.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo
public struct Account: Codable, Sendable, Hashable {
  /// The user's identifier.
  public var localId: String
  /// The user's address.
  public var email: String?
  /// Whether the provider has verified the address.
  public var emailVerified: Bool?
  /// The name to show.
  public var displayName: String?
  /// The picture's address.
  public var photoUrl: String?
  /// The user's phone number.
  public var phoneNumber: String?
  /// The tenant that the user belongs to.
  public var tenantId: String?
  /// Whether an administrator has disabled the account.
  public var disabled: Bool?
  /// Whether the account signs in by custom tokens.
  public var customAuth: Bool?
  /// The account's second factors.
  public var mfaInfo: [MfaEnrollment]?
  /// One entry for each way to sign in that the account has.
  public var providerUserInfo: [ProviderUserInfo]?
  /// When the account was made, in milliseconds since 1970.
  public var createdAt: DecimalString?
  /// When the user last signed in, in milliseconds since 1970.
  public var lastLoginAt: DecimalString?
  /// When the user last got an ID token, as RFC 3339 writes it; missing before the first one.
  public var lastRefreshAt: String?
  /// Tokens of sign-ins before this moment are revoked; in seconds since 1970.
  public var validSince: DecimalString?
  /// What an administrator has ID tokens say of the user, as the text of a JSON object.
  public var customAttributes: String?
  /// The password's hash in base64: in the answers to `ListAccounts` alone, for an administrator who moves elsewhere.
  public var passwordHash: Secret?
  /// The hash's salt in base64.
  public var salt: Secret?

  /// Makes an account with nothing but its identifier.
  public init(localId: String) { self.localId = localId }

  /// What one identity provider says of a user.
  public struct ProviderUserInfo: Codable, Sendable, Hashable {
    /// `password`, `google.com`, …
    public var providerId: String
    /// The user's identifier at that provider.
    public var rawId: String?
    /// The same as a URL, where the provider has one.
    public var federatedId: String?
    /// The address that this provider knows.
    public var email: String?
    /// The name that this provider knows.
    public var displayName: String?
    /// The picture's address.
    public var photoUrl: String?
    /// The phone number that this provider knows.
    public var phoneNumber: String?

    /// Makes an entry with nothing but the provider's name.
    public init(providerId: String) { self.providerId = providerId }
  }

  /// A second factor of an account, as the protocol shows it.
  public struct MfaEnrollment: Codable, Sendable, Hashable {
    /// Names the factor.
    public var mfaEnrollmentId: String
    /// The name that its user gave it.
    public var displayName: String?
    /// Where codes are sent, of a phone.
    public var phoneInfo: String?
    /// Of an authenticator app.
    public var totpInfo: Totp?
    /// When it was enrolled, as RFC 3339 writes it.
    public var enrolledAt: String?

    /// Says that a factor is an authenticator app.
    public struct Totp: Codable, Sendable, Hashable {
      /// Has no members.
      public init() {}
    }

    /// The factor as the protocol shows it.
    public init(_ factor: SecondFactor) {
      mfaEnrollmentId = factor.uid
      displayName = factor.displayName
      phoneInfo = factor.phoneNumber
      totpInfo = factor.factorID.isExactly("totp") ? Totp() : nil
      enrolledAt = factor.enrollmentSeconds.map { Date(wall: $0).formatted(Date.ISO8601FormatStyle()) }
    }

    /// The factor as the client keeps it.
    package var factor: SecondFactor {
      var factor = SecondFactor(uid: mfaEnrollmentId, factorID: totpInfo == nil ? "phone" : "totp")
      factor.displayName = displayName
      factor.phoneNumber = phoneInfo
      // A form that is not known costs the date, and not the account.
      factor.enrollmentSeconds = enrolledAt.flatMap { try? Date($0, strategy: Date.ISO8601FormatStyle()).wall }
      return factor
    }
  }

  /// The account as the client keeps it.
  package var profile: UserProfile {
    var profile = UserProfile(uid: localId)
    profile.email = email
    profile.isEmailVerified = emailVerified ?? false
    profile.displayName = displayName
    profile.photoURL = photoUrl
    profile.phoneNumber = phoneNumber
    profile.tenantID = tenantId
    profile.isOfCustomToken = customAuth == true ? true : nil
    profile.secondFactors = mfaInfo.map { $0.map(\.factor) }
    profile.creationSeconds = createdAt.map { Double($0.value) / 1000 }
    profile.lastSignInSeconds = lastLoginAt.map { Double($0.value) / 1000 }
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
