import FoundationEssentials
public import GatehouseBase

/// An account in the protocol's form. Its members have their names on the wire.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo
public struct Account: Codable, Sendable, Hashable {
  /// The user's identifier.
  public var localId: String
  /// The user's address.
  public var email: String?
  /// Whether the provider has verified the address.
  public var emailVerified: Bool?
  /// The user's display name.
  public var displayName: String?
  /// The picture's address.
  public var photoUrl: String?
  /// The user's phone number.
  public var phoneNumber: String?
  /// The tenant that the user belongs to.
  public var tenantId: String?
  /// Whether an administrator has disabled the account.
  public var disabled: Bool?
  /// Whether the account signs in with custom tokens.
  public var customAuth: Bool?
  /// The account's second factors.
  public var mfaInfo: [MfaEnrollment]?
  /// One entry for each way to sign in that the account has.
  public var providerUserInfo: [ProviderUserInfo]?
  /// The time of the account's creation, in milliseconds since 1970.
  public var createdAt: DecimalString?
  /// The time of the last sign-in, in milliseconds since 1970.
  public var lastLoginAt: DecimalString?
  /// The time at which the user last got an ID token, in RFC 3339 format; missing before the first one.
  public var lastRefreshAt: String?
  /// The time before which sign-ins are revoked, in seconds since 1970.
  public var validSince: DecimalString?
  /// The time at which the password was set.
  public var passwordUpdatedAt: Milliseconds?
  /// The custom claims of the user's ID tokens, as the text of a JSON object.
  public var customAttributes: String?
  /// The password's hash in base64. Only present in the answers to `ListAccounts`, for an administrator who moves to
  /// another system.
  public var passwordHash: Secret?
  /// The hash's salt in base64.
  public var salt: Secret?

  /// Makes an account that has only an identifier.
  public init(localId: String) { self.localId = localId }

  /// An identity provider's data about a user.
  public struct ProviderUserInfo: Codable, Sendable, Hashable {
    /// The identity provider: `password`, `google.com`, …
    public var providerId: String
    /// The user's identifier at that provider.
    public var rawId: String?
    /// The identifier as a URL, if the provider has one.
    public var federatedId: String?
    /// The user's address at this provider.
    public var email: String?
    /// The user's name at this provider.
    public var displayName: String?
    /// The picture's address.
    public var photoUrl: String?
    /// The user's phone number at this provider.
    public var phoneNumber: String?

    /// Makes an entry that has only the provider's name.
    public init(providerId: String) { self.providerId = providerId }
  }

  /// A second factor of an account, in the protocol's form.
  public struct MfaEnrollment: Codable, Sendable, Hashable {
    /// The factor's identifier.
    public var mfaEnrollmentId: String
    /// The name that the user gave the factor.
    public var displayName: String?
    /// The phone number that codes are sent to, for a phone.
    public var phoneInfo: String?
    /// Present for an authenticator app.
    public var totpInfo: Totp?
    /// The time of the enrollment, in RFC 3339 format.
    public var enrolledAt: String?

    /// Marks a factor as an authenticator app.
    public struct Totp: Codable, Sendable, Hashable {
      /// Makes the marker, which has no members.
      public init() {}
    }

    /// Makes the protocol's form of a factor.
    public init(_ factor: SecondFactor) {
      mfaEnrollmentId = factor.uid
      displayName = factor.displayName
      phoneInfo = factor.phoneNumber
      totpInfo = factor.factorID.isExactly("totp") ? Totp() : nil
      enrolledAt = factor.enrollmentSeconds.map { Date(wall: $0).formatted(Date.ISO8601FormatStyle()) }
    }

    /// The factor in the client's form.
    package var factor: SecondFactor {
      var factor = SecondFactor(uid: mfaEnrollmentId, factorID: totpInfo == nil ? "phone" : "totp")
      factor.displayName = displayName
      factor.phoneNumber = phoneInfo
      // An unknown date format loses only the date, not the account.
      factor.enrollmentSeconds = enrolledAt.flatMap { try? Date($0, strategy: Date.ISO8601FormatStyle()).wall }
      return factor
    }
  }

  /// The account in the client's form.
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
