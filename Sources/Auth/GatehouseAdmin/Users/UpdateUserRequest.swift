public import GatehouseBase
import IdentityToolkit

/// The changes of a user. A property that is `nil` changes nothing.
public struct UpdateUserRequest: Sendable, Hashable {
  /// The fields that can be removed from a user.
  public enum Field: Sendable, Hashable {
    /// The display name.
    case displayName
    /// The picture's address.
    case photoURL
    /// The phone number, and with it the sign-in by phone.
    case phoneNumber
  }

  /// The new address; it ends the user's sessions.
  public var email: String?
  /// Whether the address is verified.
  public var isEmailVerified: Bool?
  /// The new password; it ends the user's sessions.
  public var password: Secret?
  /// The new display name.
  public var displayName: String?
  /// The new picture's address.
  public var photoURL: String?
  /// The new phone number in E.164 form.
  public var phoneNumber: String?
  /// Whether the account is disabled.
  public var isDisabled: Bool?
  /// The fields to remove from the user; they take precedence over new values.
  public var removedFields: Set<Field> = []
  /// The identity providers whose users can no longer sign in to the account.
  public var providersToUnlink: [String] = []
  /// An identity provider's user who can sign in to the account from now on.
  public var providerToLink: ProviderProfile?
  /// The user's complete second factors: a factor that is not listed is removed, and an empty array removes all.
  public var secondFactors: [SecondFactorRequest]?

  /// Makes a request that changes nothing yet.
  public init() {}

  func call(uid: String) -> UpdateAccount {
    var call = UpdateAccount(localId: uid)
    call.email = email
    call.emailVerified = isEmailVerified
    call.password = password
    call.displayName = removedFields.contains(.displayName) ? nil : displayName
    call.photoUrl = removedFields.contains(.photoURL) ? nil : photoURL
    call.phoneNumber = removedFields.contains(.phoneNumber) ? nil : phoneNumber
    call.disableUser = isDisabled
    var attributes: [Update.Attribute] = []
    if removedFields.contains(.displayName) { attributes.append(.displayName) }
    if removedFields.contains(.photoURL) { attributes.append(.photoURL) }
    call.deleteAttribute = attributes.isEmpty ? nil : attributes
    let providers = providersToUnlink + (removedFields.contains(.phoneNumber) ? ["phone"] : [])
    call.deleteProvider = providers.isEmpty ? nil : providers
    call.linkProviderUserInfo = providerToLink.map(Account.ProviderUserInfo.init)
    call.mfa = secondFactors.map { UpdateAccount.Factors(enrollments: $0.mfaInfo) }
    return call
  }
}

extension Account.ProviderUserInfo {
  init(_ profile: ProviderProfile) {
    self.init(providerId: profile.providerID)
    rawId = profile.uid
    email = profile.email
    displayName = profile.displayName
    photoUrl = profile.photoURL
    phoneNumber = profile.phoneNumber
  }
}
